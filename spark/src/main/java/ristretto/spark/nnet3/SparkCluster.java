package ristretto.spark.nnet3;

import java.util.function.Consumer;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import ristretto.kernels.DeviceException;
import ristretto.nnet3.fit.Cluster;
import ristretto.nnet3.fit.JobRunner;
import ristretto.spark.RistrettoSpark;

/** Clusters of Apache Spark. */
public final class SparkCluster implements Cluster {
  private static final String SUBMITTED = "submitted";

  /** Creates the provider. */
  public SparkCluster() {}

  @Override
  public JobRunner jobs(String command, String master, Consumer<String> log) {
    SparkSession.Builder builder = SparkSession.builder().appName(command);
    if (!master.equals(SUBMITTED)) {
      builder.master(master);
    }
    boolean running = SparkSession.getDefaultSession().isDefined();
    SparkSession session = open(command, master, RistrettoSpark.configure(builder));
    JavaSparkContext spark = JavaSparkContext.fromSparkContext(session.sparkContext());
    session
        .sparkContext()
        .uiWebUrl()
        .foreach(url -> {
          log.accept("The stages of the training are shown at " + url);
          return null;
        });
    return new SparkJobs(command, spark, running ? () -> {} : spark::stop);
  }

  /** Opens a session; Spark throws checked exceptions, which its methods do not declare. */
  private static SparkSession open(String command, String master, SparkSession.Builder builder) {
    try {
      return builder.getOrCreate();
    } catch (Exception e) {
      throw new DeviceException(
          "[%s] --master must be the address of a cluster, such as spark://host:7077, yarn or local[2], or \"submitted\" under spark-submit; got \"%s\" (%s); correct it."
              .formatted(command, master, e.getMessage()),
          e);
    }
  }
}
