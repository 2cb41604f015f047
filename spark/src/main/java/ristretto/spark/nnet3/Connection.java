package ristretto.spark.nnet3;

import java.util.function.Supplier;
import org.apache.spark.api.java.JavaSparkContext;
import ristretto.kernels.DeviceException;
import ristretto.kernels.RistrettoException;

/**
 * Connection of a command to a cluster.
 *
 * @param ours true if the command has opened the session, and closes it
 */
record Connection(String command, JavaSparkContext spark, boolean ours) {
  /**
   * Runs work on the cluster. An error of ours in a task is thrown here; Spark throws checked
   * exceptions, which its methods do not declare.
   */
  <R> R run(Supplier<R> work) {
    try {
      return work.get();
    } catch (Exception e) {
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        if (cause instanceof RistrettoException known) {
          throw known;
        }
      }
      throw new DeviceException(
          "[%s] the cluster must run all tasks; got %s; see Spark's pages and the logs of its executors, and give the command again."
              .formatted(command, e.getMessage()),
          e);
    }
  }

  void close() {
    spark.clearCallSite();
    if (ours) {
      spark.stop();
    }
  }
}
