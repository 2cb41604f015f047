package ristretto.jmh.start;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import ristretto.jmh.report.Fact;
import ristretto.jmh.report.LaunchTargets;

/** First calls in many new processes, since the JIT compilers' choices differ from run to run. */
public final class ColdRuns {
  private static final int RUNS = 20;
  private static final int QUICK_RUNS = 3;

  private final int runs;
  private final Runnable progress;

  /**
   * Sets the number of processes.
   *
   * @param progress called after each process
   */
  public ColdRuns(boolean quick, Runnable progress) {
    this.runs = runs(quick);
    this.progress = progress;
  }

  /** Number of processes per line. */
  public static int runs(boolean quick) {
    return quick ? QUICK_RUNS : RUNS;
  }

  /** Measures the facts about {@code sigmoid} or {@code blackscholes}. */
  public List<Fact> measure(String line) throws IOException {
    double[] first = new double[runs];
    double[] full = new double[runs];
    double[] steady = new double[runs];
    for (int run = 0; run < runs; run++) {
      String[] words = once(line).split(" ");
      first[run] = Double.parseDouble(words[0]);
      full[run] = Double.parseDouble(words[1]);
      steady[run] = Double.parseDouble(words[2]);
      progress.run();
    }
    Arrays.sort(first);
    Arrays.sort(full);
    Arrays.sort(steady);
    double target =
        line.equals("sigmoid")
            ? LaunchTargets.COLD_SIGMOID_MILLIS
            : LaunchTargets.COLD_BLACK_SCHOLES_MILLIS;
    String name = "cold-" + line;
    return List.of(
        new Fact(
            name + "-median",
            "first " + line + " over 1e6 in a new process, median of " + runs,
            first[runs / 2],
            "ms",
            Optional.empty()),
        new Fact(name + "-worst", "the slowest of them", first[runs - 1], "ms", target),
        new Fact(
            name + "-full-speed",
            "until full speed, the slowest of them",
            full[runs - 1],
            "s",
            LaunchTargets.FULL_SPEED_SECONDS),
        new Fact(
            name + "-steady",
            "a call at full speed, the slowest process over the fastest",
            steady[runs - 1] / steady[0],
            "x",
            Optional.empty()));
  }

  /**
   * Runs one process: through the launcher like a user if there is one, otherwise as a bare JVM.
   */
  private static String once(String line) throws IOException {
    Optional<Launcher> launcher = Launcher.find();
    if (launcher.isEmpty()) {
      return last(
          Launcher.output(ChildJvm.command("ristretto.jmh.start.ColdProcess", List.of(line))));
    }
    Path folder = Files.createTempDirectory("ristretto-cold");
    Path script = folder.resolve("Cold.java");
    try (InputStream in = ColdRuns.class.getResourceAsStream("Cold.java")) {
      Files.write(script, in.readAllBytes());
      return last(launcher.get().run(script, line));
    } finally {
      Files.delete(script);
      Files.delete(folder);
    }
  }

  private static String last(String output) {
    return output.lines().reduce((a, b) -> b).orElse("");
  }
}
