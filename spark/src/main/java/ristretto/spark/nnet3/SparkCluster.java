package ristretto.spark.nnet3;

import java.util.function.Consumer;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
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
    SparkSession session = RistrettoSpark.configure(builder).getOrCreate();
    JavaSparkContext spark = JavaSparkContext.fromSparkContext(session.sparkContext());
    session.sparkContext().uiWebUrl().foreach(url -> {
      log.accept("The stages of the training are shown at " + url);
      return null;
    });
    return new SparkJobs(spark, running ? () -> {} : spark::stop);
  }
}
