package ristretto.jmh.start;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import ristretto.jmh.report.Fact;
import ristretto.jmh.report.LaunchTargets;

/** Wall time of {@code ./ristretto run} of an unchanged script. */
public final class Scripts {
  /** Name of the fact for {@code --only}. */
  public static final String NAME = "script";

  private static final int RUNS = 5;

  private static final String SCRIPT =
      """
      import module ristretto.expr;
      import static ristretto.expr.Ops.*;

      void main() {
        var ctx = Context.open();
        var x = ctx.tensor(new float[] {1, 2, 3});
        ctx.eval(map(x, v -> 1f / (1f + (float) Math.exp(-v)))).print();
      }
      """;

  private Scripts() {}

  /** Measures the script; empty if there is no launcher. */
  public static List<Fact> measure() throws IOException {
    Optional<Launcher> launcher = Launcher.find();
    if (launcher.isEmpty()) {
      return List.of();
    }
    Path folder = Files.createTempDirectory("ristretto-script");
    Path script = folder.resolve("ThreeLines.java");
    Files.writeString(script, SCRIPT);
    try {
      launcher.get().run(script);
      double least = Double.MAX_VALUE;
      for (int k = 0; k < RUNS; k++) {
        long start = System.nanoTime();
        launcher.get().run(script);
        least = Math.min(least, (System.nanoTime() - start) / 1e9);
      }
      return List.of(
          new Fact(
              NAME,
              "./ristretto run of an unchanged script of three lines",
              least,
              "s",
              LaunchTargets.SCRIPT_SECONDS));
    } finally {
      Files.delete(script);
      Files.delete(folder);
    }
  }
}
