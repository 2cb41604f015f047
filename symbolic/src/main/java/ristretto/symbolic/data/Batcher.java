package ristretto.symbolic.data;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import ristretto.expr.file.Excerpt;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Variable;

/**
 * Iterates over a data set in batches, epoch by epoch; background threads prefetch the next
 * batches. The contents of each batch depend only on the seeds and the epoch number, not on the
 * number of threads.
 *
 * <pre>{@code
 * try (var batches = new Batcher(data, 100).shuffled(1)) {
 *   for (Batch batch : batches.epoch(0)) {
 *     batch.giveTo(executor, x);
 *     executor.step(loss, optimizer);
 *   }
 * }
 * }</pre>
 */
public final class Batcher implements AutoCloseable {
  private static final int MOST_THREADS = 256;

  private final Dataset data;
  private final int size;
  private boolean shuffled;
  private long seed;

  /** Sums of the weights of the examples up to each; null without weights. */
  private double[] sums;

  /** Elements that pad fields, by number of the field. */
  private final Map<Integer, MemorySegment> padding = new HashMap<>();

  private boolean bucketed;
  private int threads;
  private int shard;
  private int shards = 1;
  private boolean dropLast;
  private Prefetch running;

  /**
   * Creates a batcher that keeps the order of the data.
   *
   * @param size batch size
   */
  public Batcher(Dataset data, int size) {
    if (size < 1) {
      throw new ShapeException("[batcher] the batch size must be at least 1; got " + size + ".");
    }
    this.data = data;
    this.size = size;
    this.threads = data.loaders();
  }

  /**
   * Shuffles the examples, with a different permutation in each epoch that depends only on the seed
   * and the epoch number.
   */
  public Batcher shuffled(long seed) {
    this.shuffled = true;
    this.seed = seed;
    this.sums = null;
    return this;
  }

  /**
   * Draws the examples with replacement, with probabilities proportional to weights; an epoch has
   * as many draws as the data has examples. Takes the place of {@link #shuffled}.
   *
   * @param weights weight of each example, at least 0, for example the reciprocal of the number of
   *     examples of its class
   */
  public Batcher weighted(long seed, double... weights) {
    if (weights.length != data.size()) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[batcher] there must be a weight for each example; got %d for %d examples.",
              weights.length,
              data.size()));
    }
    double[] all = new double[weights.length];
    double sum = 0;
    for (int k = 0; k < all.length; k++) {
      if (!(weights[k] >= 0)) {
        throw new ShapeException(
            "[batcher] weights must be at least 0; got " + weights[k] + " for example " + k + ".");
      }
      sum += weights[k];
      all[k] = sum;
    }
    if (!(sum > 0) || Double.isInfinite(sum)) {
      throw new ShapeException(
          "[batcher] the sum of all weights must be positive and finite; got " + sum + ".");
    }
    this.shuffled = true;
    this.seed = seed;
    this.sums = all;
    return this;
  }

  /**
   * Groups examples of similar lengths, so that batches need little padding: every 50 batches, the
   * examples are sorted by length, and the batches are shuffled if the examples are.
   *
   * @throws ShapeException if no field has steps
   */
  public Batcher bucketed() {
    boolean any = false;
    for (int f = 0; f < fields().size(); f++) {
      any |= data.hasSteps(f);
    }
    if (!any) {
      throw new ShapeException(
          "[batcher] bucketing needs a field with examples of unequal lengths; got "
              + fields()
              + "; leave out bucketed().");
    }
    this.bucketed = true;
    return this;
  }

  /**
   * Sets the value that pads examples of a field that are shorter than the longest of their batch;
   * 0 by default. Labels need one that is no class, for example -100 with {@code
   * CrossEntropyOptions.of().ignore(-100)}.
   *
   * @throws ShapeException if the field has no steps, or cannot hold the value
   */
  public Batcher padding(String field, double value) {
    List<String> padded = padded();
    if (!padded.contains(field)) {
      throw new ShapeException(
          "[batcher] only fields with examples of unequal lengths are padded; got %s, and %s are; name one of these."
              .formatted(field, padded));
    }
    int number = fields().stream().map(Dataset.Field::name).toList().indexOf(field);
    padding.put(number, Padding.of(fields().get(number), value));
    return this;
  }

  /**
   * Sets the number of threads that read examples, each a batch at a time. By default one, or more
   * for data that is decoded as it is read ({@link Dataset#loaders}).
   */
  public Batcher threads(int count) {
    if (count < 1 || count > MOST_THREADS) {
      throw new ShapeException(
          "[batcher] there must be 1 to " + MOST_THREADS + " threads; got " + count + ".");
    }
    this.threads = count;
    return this;
  }

  /**
   * Restricts this batcher to a shard: every {@code count}-th example of the order, starting with
   * the {@code index}-th.
   */
  public Batcher shard(int index, int count) {
    if (index < 0 || index >= count) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[batcher] a shard must be one of the shards, from 0; got %d of %d.",
              index,
              count));
    }
    this.shard = index;
    this.shards = count;
    return this;
  }

  /** Drops the last batch of an epoch if it is smaller than the others. */
  public Batcher dropLast() {
    this.dropLast = true;
    return this;
  }

  /** Returns the fields of each example. */
  public List<Dataset.Field> fields() {
    return data.fields();
  }

  /**
   * Checks that classes, words and means of fields of the same name are those of other data, unless
   * one of both has none.
   *
   * @param training data that the model has been trained with
   * @throws ShapeException if not
   */
  public void requireCodesOf(Batcher training) {
    for (int f = 0; f < fields().size(); f++) {
      List<?> own = data.codes(f);
      for (int g = 0; g < training.fields().size(); g++) {
        List<?> other = training.data.codes(g);
        boolean same =
            own.isEmpty()
                || other.isEmpty()
                || !fields().get(f).name().equals(training.fields().get(g).name())
                || own.equals(other);
        if (!same) {
          throw new ShapeException(
              ("[train] validation data must have the classes, words and means of the training"
                      + " data; got %s with %s, and %s in training; read a file with like(...) of"
                      + " the training data, or give a folder its classes(...).")
                  .formatted(
                      fields().get(f).name(),
                      Excerpt.of(own.toString()),
                      Excerpt.of(other.toString())));
        }
      }
    }
  }

  /**
   * Checks that there is a field of the name, the dtype and the shape of each input.
   *
   * @throws ShapeException if not
   */
  public void requireInputs(List<Variable<?>> inputs) {
    for (Variable<?> input : inputs) {
      int number = Batch.index(fields(), input.name());
      Batch.requireDtype(fields().get(number), input);
      Dims dims = input.dims();
      long[] one = fields().get(number).shape().toArray();
      boolean fits = dims.rank() == one.length + 1;
      for (int d = data.hasSteps(number) ? 1 : 0; fits && d < one.length; d++) {
        fits = dims.at(d + 1) == Dims.UNKNOWN || dims.at(d + 1) == one[d];
      }
      if (!fits) {
        throw new ShapeException(
            "[batch] a batch of a field must have the shape of its input; got %s for %s; reshape the data, or declare the input so."
                .formatted(fields().get(number), input));
      }
    }
  }

  /** Returns the names of the fields that batches pad to their longest example. */
  public List<String> padded() {
    return IntStream.range(0, fields().size())
        .filter(data::hasSteps)
        .mapToObj(f -> fields().get(f).name())
        .toList();
  }

  /** Returns the number of examples per epoch, including those of a smaller last batch. */
  public long examples() {
    return (data.size() - shard + shards - 1) / shards;
  }

  /** Returns the number of batches per epoch. */
  public long batches() {
    return dropLast ? examples() / size : (examples() + size - 1) / size;
  }

  /**
   * Returns the batches of an epoch, to be iterated once. Ends the previous epoch, whose iterator
   * then throws a {@link ShapeException}.
   */
  public Iterable<Batch> epoch(long number) {
    if (running != null) {
      running.endFor(number);
      running = null;
    }
    var values = Map.copyOf(padding);
    var batches =
        new Prefetch(() -> new Batch(data, size, values), threads, batches(), filler(number));
    running = batches;
    var taken = new AtomicBoolean();
    return () -> {
      if (taken.getAndSet(true)) {
        throw new ShapeException(
            "[batcher] the batches of an epoch must be iterated only once; got a second iteration;"
                + " ask for the epoch again.");
      }
      return (Iterator<Batch>) batches;
    };
  }

  /**
   * Returns the share of time that the consumer of the current epoch has waited for batches, from 0
   * to 1, since its first request; 0 before the first batch.
   */
  public double waiting() {
    return running == null ? 0 : running.waiting();
  }

  private Prefetch.Filler filler(long epoch) {
    Order order = order(epoch);
    Dataset examples = data.epoch(epoch);
    return (batch, number) -> {
      int count = (int) Math.min(size, examples() - number * size);
      batch.fill(examples, order, shard + number * size * shards, shards, count);
    };
  }

  private Order order(long epoch) {
    if (!shuffled && !bucketed) {
      return position -> position;
    }
    long[] order;
    if (sums != null) {
      order = Order.weighted(sums, seed, epoch);
    } else if (shuffled) {
      order = Order.shuffled(data.size(), seed, epoch);
    } else {
      order = LongStream.range(0, data.size()).toArray();
    }
    long[] sorted =
        bucketed
            ? Order.bucketed(order, data, Math.multiplyExact(size, shards), shuffled, seed, epoch)
            : order;
    return position -> sorted[(int) position];
  }

  /** Returns text like {@code batches of 32 of 200 examples of [x f32[8]]}. */
  @Override
  public String toString() {
    return "batches of " + size + " of " + data;
  }

  /** Stops the background threads. */
  @Override
  public void close() {
    if (running != null) {
      running.close();
      running = null;
    }
  }
}
