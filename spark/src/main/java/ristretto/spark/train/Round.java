package ristretto.spark.train;

import java.io.Serializable;
import java.util.Random;

/**
 * Batches of an epoch between two averages.
 *
 * @param seed seed of the order of the rows
 * @param epoch number of the epoch, from 0
 * @param from number of the first batch
 * @param to number after that of the last batch
 * @param batch number of rows of a batch
 */
public record Round(long seed, int epoch, int from, int to, int batch) implements Serializable {
  /** Returns the order of the rows of a shard, which depends on seed, epoch and shard only. */
  int[] order(Shard shard) {
    var random = new Random(seed * 1_000_003L + epoch * 7_919L + shard.number());
    var order = new int[shard.rows()];
    for (int k = 0; k < order.length; k++) {
      int other = random.nextInt(k + 1);
      order[k] = order[other];
      order[other] = k;
    }
    return order;
  }
}
