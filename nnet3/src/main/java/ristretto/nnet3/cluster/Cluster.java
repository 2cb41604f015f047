package ristretto.nnet3.cluster;

import java.util.ServiceLoader;
import java.util.function.Consumer;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.decode.UtteranceJob;
import ristretto.nnet3.fit.JobRunner;
import ristretto.nnet3.network.Nnet;

/** Provider of clusters; the module {@code ristretto-spark} has one. */
public interface Cluster {
  /**
   * Address of a cluster.
   *
   * @param command name of the command that uses it, for messages and the cluster's pages
   * @param master address
   * @param log receives lines about the cluster
   */
  record Address(String command, String master, Consumer<String> log) {}

  /** Connects to a cluster that trains networks. */
  JobRunner jobs(Address address);

  /** Connects to a cluster that computes outputs of a network in evaluation mode. */
  ClusterOutputs outputs(Address address, UtteranceJob job, Nnet nnet);

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
