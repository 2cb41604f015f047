package ristretto.spark.nnet3;

import java.util.function.Supplier;
import org.apache.spark.api.java.JavaSparkContext;
import ristretto.spark.slot.ClusterSettings;

/**
 * Connection of a command to a cluster.
 *
 * @param ours true if the command has opened the session, and closes it
 */
record Connection(String command, JavaSparkContext spark, boolean ours) {
  /** Runs work on the cluster. */
  <R> R run(Supplier<R> work) {
    return ClusterSettings.run(command, work);
  }

  void close() {
    spark.clearCallSite();
    if (ours) {
      spark.stop();
    }
  }
}
