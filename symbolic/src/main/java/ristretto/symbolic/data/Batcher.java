package ristretto.symbolic.data;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import ristretto.kernels.ShapeException;

/**
 * Goes through a data set in batches, epoch by epoch; a thread of its own puts the next ones
 * together meanwhile. What is in each batch follows from the seed and the epoch alone.
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
   * @param size examples of a batch
   */
  public Batcher(Dataset data, int size) {
    if (size < 1) {
      throw new ShapeException("[batcher] a batch must have examples; got size " + size + ".");
    }
    this.data = data;
    this.size = size;
  }

  /** In another order each epoch, the same for the same seed. */
  public Batcher shuffled(long seed) {
    this.shuffled = true;
    this.seed = seed;
    return this;
  }

  /** Every {@code count}-th example of the order, from the {@code index}-th on. */
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

  /** Without the last batch of an epoch if it is smaller than the others. */
  public Batcher dropLast() {
    this.dropLast = true;
    return this;
  }

  /** What each example has. */
  public List<Dataset.Field> fields() {
    return data.fields();
  }

  /** Number of examples of an epoch, those of a smaller last batch included. */
  public long examples() {
    return (data.size() - shard + shards - 1) / shards;
  }

  /** Number of batches of an epoch. */
  public long batches() {
    return dropLast ? examples() / size : (examples() + size - 1) / size;
  }

  /**
   * The batches of an epoch, once. It ends those of an epoch before; going on with them is a {@link
   * ShapeException}.
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
            "[batcher] the batches of an epoch must be gone through once; got a second time; ask"
                + " for the epoch again.");
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

  /** Ends the thread. */
  @Override
  public void close() {
    if (running != null) {
      running.close();
      running = null;
    }
  }
}
