package ristretto.jmh.micro;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Line;
import ristretto.jmh.line.Lines;
import ristretto.jmh.training.TrainingBenchmark;

/** Runs the JMH benchmarks of this package. */
public final class JmhRun {
  private JmhRun() {}

  /**
   * Runs the benchmarks of lines that match {@code only}.
   *
   * @param sizes labels of sizes; empty for all
   * @return an exit code
   */
  public static int run(String only, List<String> sizes, boolean quick) {
    for (Class<?> benchmark :
        List.of(
            MapBenchmark.class,
            RowBenchmark.class,
            LayoutBenchmark.class,
            ProductBenchmark.class)) {
      String[] params = benchmarkParams(benchmark, "line");
      List<String> lines = List.of(params).stream().filter(l -> l.matches(only)).toList();
      for (String line : lines) {
        run(benchmark, Lines.named(line), sizes, quick);
      }
    }
    for (Class<?> benchmark : List.of(LaunchBenchmark.class, ColdBenchmark.class)) {
      String name = benchmark == LaunchBenchmark.class ? "launch" : "cold";
      if (name.matches(only)) {
        execute(options(benchmark, quick));
      }
    }
    return 0;
  }

  /**
   * Runs the training steps whose labels match {@code only}, on each number of threads.
   *
   * @return an exit code
   */
  public static int training(Pattern only, List<Integer> threads, boolean quick) {
    Class<?> benchmark = TrainingBenchmark.class;
    String[] lines =
        Arrays.stream(benchmarkParams(benchmark, "line"))
            .filter(l -> only.matcher(l).matches())
            .toArray(String[]::new);
    String[] counts = threads.stream().map(String::valueOf).toArray(String[]::new);
    if (lines.length > 0) {
      execute(options(benchmark, quick).param("line", lines).param("threads", counts));
    }
    return 0;
  }

  private static String[] benchmarkParams(Class<?> benchmark, String field) {
    try {
      return benchmark
          .getField(field)
          .getAnnotation(org.openjdk.jmh.annotations.Param.class)
          .value();
    } catch (NoSuchFieldException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void run(Class<?> benchmark, Line line, List<String> labels, boolean quick) {
    List<String> known = List.of(benchmarkParams(benchmark, "size"));
    String[] sizes =
        line.sizes().stream()
            .filter(d -> labels.isEmpty() || labels.contains(d.label()))
            .map(Dims::toString)
            .filter(known::contains)
            .toArray(String[]::new);
    if (sizes.length > 0) {
      execute(options(benchmark, quick).param("line", line.name()).param("size", sizes));
    }
  }

  private static ChainedOptionsBuilder options(Class<?> benchmark, boolean quick) {
    var options =
        new OptionsBuilder().include("^" + benchmark.getName() + "\\.").shouldFailOnError(false);
    return quick
        ? options
            .forks(1)
            .warmupIterations(benchmark == ColdBenchmark.class ? 0 : 2)
            .warmupTime(TimeValue.milliseconds(500))
            .measurementIterations(benchmark == ColdBenchmark.class ? 1 : 2)
            .measurementTime(TimeValue.milliseconds(300))
        : options;
  }

  private static void execute(ChainedOptionsBuilder options) {
    try {
      new Runner(options.build()).run();
    } catch (RunnerException e) {
      throw new IllegalStateException(e);
    }
  }
}
