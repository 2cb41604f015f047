package ristretto.spark.nnet3;

import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import ristretto.kernels.DeviceException;
import ristretto.nnet3.cluster.Cluster;
import ristretto.nnet3.cluster.ClusterOutputs;
import ristretto.nnet3.decode.UtteranceJob;
import ristretto.nnet3.fit.JobRunner;
import ristretto.nnet3.network.Nnet;
import ristretto.spark.RistrettoSpark;
import ristretto.spark.slot.ClusterSettings;

/** Clusters of Apache Spark. */
public final class SparkCluster implements Cluster {
  private static final String SUBMITTED = "submitted";

  /** Creates the provider. */
  public SparkCluster() {}

  @Override
  public JobRunner jobs(Address address) {
    return new SparkJobs(connect(address));
  }

  @Override
  public ClusterOutputs outputs(Address address, UtteranceJob job, Nnet nnet) {
    return new SparkOutputs(connect(address), job, nnet);
  }

  private static Connection connect(Address address) {
    SparkSession.Builder builder = SparkSession.builder().appName(address.command());
    if (!address.master().equals(SUBMITTED)) {
      builder.master(address.master());
    }
    boolean running = SparkSession.getDefaultSession().isDefined();
    SparkSession session = open(address, RistrettoSpark.configure(builder));
    ClusterSettings.require(address.command(), session.sparkContext().conf());
    session
        .sparkContext()
        .uiWebUrl()
        .foreach(url -> {
          address.log().accept("Spark shows the stages of this command at " + url);
          return null;
        });
    return new Connection(
        address.command(), JavaSparkContext.fromSparkContext(session.sparkContext()), !running);
  }

  /** Opens a session; Spark throws checked exceptions, which its methods do not declare. */
  private static SparkSession open(Address address, SparkSession.Builder builder) {
    try {
      return builder.getOrCreate();
    } catch (Exception e) {
      throw new DeviceException(
          "[%s] --master must be the address of a cluster, such as spark://host:7077, yarn or local[2], or \"submitted\" under spark-submit; got \"%s\" (%s); correct it."
              .formatted(address.command(), address.master(), e.getMessage()),
          e);
    }
  }
}
