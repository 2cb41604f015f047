package ristretto.spark.slot;

import java.util.function.Supplier;
import org.apache.spark.SparkConf;
import ristretto.kernels.DeviceException;
import ristretto.kernels.RistrettoException;
import ristretto.kernels.ShapeException;

/** Settings of a cluster that our tasks need, and errors of clusters that lack them. */
public final class ClusterSettings {
  private static final String SERIALIZER = "spark.serializer";

  private ClusterSettings() {}

  /**
   * Checks the settings of a session.
   *
   * @param op operation, for messages
   */
  public static void require(String op, SparkConf conf) {
    String serializer = conf.get(SERIALIZER, "JavaSerializer");
    if (!serializer.endsWith("JavaSerializer")) {
      throw new ShapeException(
          "[%s] spark.serializer must be Java's, since Kryo cannot send lambdas and records; got %s; leave the setting out, or set it to org.apache.spark.serializer.JavaSerializer."
              .formatted(op, serializer));
    }
  }

  /**
   * Runs work on the cluster. An error of ours in a task is thrown here; Spark throws checked
   * exceptions, which its methods do not declare.
   *
   * @param op operation, for messages
   */
  public static <R> R run(String op, Supplier<R> work) {
    try {
      return work.get();
    } catch (Exception e) {
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        if (cause instanceof RistrettoException ours) {
          throw ours;
        }
      }
      throw new DeviceException(
          "[%s] the cluster must run all tasks; got %s; %s."
              .formatted(op, e.getMessage(), remedy(String.valueOf(e.getMessage()))),
          e);
    }
  }

  private static String remedy(String message) {
    if (message.contains("UnsupportedClassVersionError")) {
      return "executors need Java 25: set spark.executorEnv.JAVA_HOME to one on their machines";
    }
    if (message.contains("ClassNotFoundException: ristretto")
        || message.contains("NoClassDefFoundError: ristretto")) {
      return "executors need our jars: open the session with RistrettoSpark.configure, or submit"
          + " with --jars";
    }
    if (message.contains("OutOfMemoryError")) {
      return "give executors more memory with spark.executor.memory, or use more shards or smaller"
          + " archives";
    }
    return "see Spark's pages and the logs of its executors, and start again to go on from the last"
        + " checkpoint";
  }
}
