package ristretto.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;

/** Cluster of processes on this machine. */
final class LocalCluster {
  private LocalCluster() {}

  /** Starts executors of a core each. */
  static SparkSession start(int executors) {
    try {
      Files.createDirectories(Path.of(System.getenv("SPARK_HOME"), "jars"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return SparkSession.builder()
        .master("local-cluster[" + executors + ",1,2048]")
        .config("spark.executor.memory", "1g")
        .config("spark.executor.extraClassPath", System.getProperty("java.class.path"))
        .config("spark.executor.extraJavaOptions", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
        // Killed executors are replaced, and their tasks run again, as often as needed.
        .config("spark.deploy.maxExecutorRetries", "-1")
        .config("spark.task.maxFailures", "100")
        .config("spark.stage.maxConsecutiveAttempts", "100")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "3")
        .getOrCreate();
  }
}
