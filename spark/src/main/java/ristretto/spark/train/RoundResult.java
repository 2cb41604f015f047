package ristretto.spark.train;

import java.io.Serializable;

/**
 * Result of a round on a shard.
 *
 * @param examples number of examples
 * @param loss sum of the losses of the examples
 * @param floats encoded values of the trained tensors
 * @param counters numbers of steps and updates
 */
record RoundResult(int shard, long examples, double loss, byte[] floats, long[] counters)
    implements Serializable {

  /** Result without the trained tensors. */
  record Told(int shard, long examples, double loss, long[] counters) implements Serializable {}

  Told told() {
    return new Told(shard, examples, loss, counters);
  }
}
