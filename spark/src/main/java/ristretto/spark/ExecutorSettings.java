package ristretto.spark;

import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;

/** Settings of sessions for executors that run our code. */
final class ExecutorSettings {
  private static final String OPTIONS = "spark.executor.extraJavaOptions";
  private static final String JARS = "spark.jars";

  /** Options that compile vector code after fewer calls: kernels are called for large batches. */
  private static final List<String> COMPILATION =
      List.of(
          "-XX:CompileCommand=quiet",
          "-XX:CompileCommand=CompileThresholdScaling,ristretto.kernels.cpu.codegen.Generated*::*,0.01",
          "-XX:CompileCommand=CompileThresholdScaling,ristretto.kernels.cpu.moves.VectorMoves::*,0.01",
          "-XX:CompileCommand=CompileThresholdScaling,ristretto.kernels.cpu.block.*::*,0.01");

  private ExecutorSettings() {}

  static SparkSession.Builder apply(SparkSession.Builder builder) {
    var conf = new SparkConf();
    List<String> options = new ArrayList<>();
    if (conf.contains(OPTIONS)) {
      options.add(conf.get(OPTIONS));
    }
    options.addAll(COMPILATION);
    builder.config(OPTIONS, String.join(" ", options));
    List<String> jars = new ArrayList<>();
    if (conf.contains(JARS)) {
      jars.add(conf.get(JARS));
    }
    jars.addAll(jars());
    if (!jars.isEmpty()) {
      builder.config(JARS, String.join(",", jars));
    }
    return builder;
  }

  /** Returns the jars of the class path that a cluster does not have: ours, and those we need. */
  private static List<String> jars() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(ExecutorSettings::isOurs)
        .toList();
  }

  private static boolean isOurs(String path) {
    String name = new File(path).getName();
    return name.endsWith(".jar")
        && (name.startsWith("ristretto-")
            || name.startsWith("openblas-")
            || name.startsWith("javacpp-")
            || name.startsWith("fastcsv-")
            || name.startsWith("dnnl-"));
  }
}
