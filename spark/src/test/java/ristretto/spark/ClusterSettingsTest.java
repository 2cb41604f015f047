package ristretto.spark;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import ristretto.spark.slot.ClusterSettings;

class ClusterSettingsTest {
  @Test
  void kryoIsRefused() {
    var conf =
        new SparkConf(false).set("spark.serializer", "org.apache.spark.serializer.KryoSerializer");
    assertThatThrownBy(() -> ClusterSettings.require("train", conf))
        .hasMessage(
            "[train] spark.serializer must be Java's, since Kryo cannot send lambdas and records;"
                + " got org.apache.spark.serializer.KryoSerializer; leave the setting out, or set"
                + " it to org.apache.spark.serializer.JavaSerializer.");
    ClusterSettings.require("train", new SparkConf(false));
  }

  @Test
  void errorsNameTheSettingToChange() {
    Map.of(
            "java.lang.UnsupportedClassVersionError: ristretto/X",
            "executors need Java 25: set spark.executorEnv.JAVA_HOME to one on their machines",
            "java.lang.ClassNotFoundException: ristretto.spark.X",
            "executors need our jars: open the session with RistrettoSpark.configure, or submit"
                + " with --jars",
            "java.lang.OutOfMemoryError: Java heap space",
            "give executors more memory with spark.executor.memory, or use more shards or smaller"
                + " archives",
            "anything",
            "see Spark's pages and the logs of its executors, and start again to go on from the"
                + " last checkpoint")
        .forEach((cause, remedy) ->
            assertThatThrownBy(() ->
                    ClusterSettings.run(
                        "train",
                        () -> {
                          throw new IllegalStateException(cause);
                        }))
                .hasMessage(
                    "[train] the cluster must run all tasks; got " + cause + "; " + remedy + "."));
  }
}
