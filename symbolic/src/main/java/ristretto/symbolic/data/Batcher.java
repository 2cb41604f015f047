package ristretto.symbolic.data;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import ristretto.kernels.ShapeException;

/**
 * Iterates over a data set in batches, epoch by epoch; a background thread prefetches the next
 * batches. The contents of each batch depend only on the seed and the epoch number.
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
  private static final int AHEAD = 2;

  private final Dataset data;
  private final int size;
  private boolean shuffled;
  private long seed;
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
  }

  /**
   * Shuffles the examples, with a different permutation in each epoch that depends only on the seed
   * and the epoch number.
   */
  public Batcher shuffled(long seed) {
    this.shuffled = true;
    this.seed = seed;
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
    var batches = new Prefetch(fields(), size, AHEAD, batches(), filler(number));
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

  private Prefetch.Filler filler(long epoch) {
    long[] order = shuffled ? order(epoch) : null;
    return (batch, number) -> {
      int count = (int) Math.min(size, examples() - number * size);
      batch.fill(data, order, shard + number * size * shards, shards, count);
    };
  }

  private long[] order(long epoch) {
    var random = new SplittableRandom(new SplittableRandom(seed).nextLong() + epoch);
    long[] order = new long[Math.toIntExact(data.size())];
    for (int k = 0; k < order.length; k++) {
      int other = random.nextInt(k + 1);
      order[k] = order[other];
      order[other] = k;
    }
    return order;
  }

  /** Stops the background thread. */
  @Override
  public void close() {
    if (running != null) {
      running.close();
      running = null;
    }
  }
}
