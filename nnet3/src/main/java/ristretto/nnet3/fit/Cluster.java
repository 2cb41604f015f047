package ristretto.nnet3.fit;

import java.util.ServiceLoader;
import java.util.function.Consumer;
import ristretto.kernels.ShapeException;

/** Provider of clusters that run jobs; the module {@code ristretto-spark} has one. */
public interface Cluster {
  /**
   * Connects to a cluster.
   *
   * @param command name of the command, for the cluster's pages
   * @param master address of the cluster
   * @param log receives lines about the cluster
   */
  JobRunner jobs(String command, String master, Consumer<String> log);

  /**
   * Returns the provider of the class path.
   *
   * @throws ShapeException if there is none
   */
  static Cluster find(String command) {
    return ServiceLoader.load(Cluster.class)
        .findFirst()
        .orElseThrow(() ->
            new ShapeException(
                "[%s] with --master, the class path must have ristretto-spark and Spark's jars; got neither; start the command with ./ristretto, or by spark-submit with our jars in --jars."
                    .formatted(command)));
  }
}
