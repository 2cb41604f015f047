package ristretto.jmh.start;

import java.io.IOException;
import java.net.URISyntaxException;
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

  /** Empty where there is no launcher above the place of this class. */
  public static List<Fact> measure() throws IOException {
    Optional<Path> launcher = findLauncher();
    if (launcher.isEmpty()) {
      return List.of();
    }
    Path folder = Files.createTempDirectory("ristretto-script");
    Path script = folder.resolve("ThreeLines.java");
    Files.writeString(script, SCRIPT);
    try {
      run(launcher.get(), script);
      double least = Double.MAX_VALUE;
      for (int k = 0; k < RUNS; k++) {
        least = Math.min(least, run(launcher.get(), script));
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

  private static double run(Path launcher, Path script) throws IOException {
    long start = System.nanoTime();
    Process process =
        new ProcessBuilder(launcher.toString(), "run", script.toString())
            .redirectErrorStream(true)
            .start();
    process.getOutputStream().close();
    byte[] output = process.getInputStream().readAllBytes();
    try {
      if (process.waitFor() != 0) {
        throw new IOException(
            "the script failed: "
                + new String(output, java.nio.charset.StandardCharsets.UTF_8).strip());
      }
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
    return (System.nanoTime() - start) / 1e9;
  }

  private static Optional<Path> findLauncher() {
    for (Path start : List.of(ownPlace(), Path.of("").toAbsolutePath())) {
      for (Path root = start; root != null; root = root.getParent()) {
        Path launcher = root.resolve("ristretto");
        if (Files.isRegularFile(launcher) && Files.isExecutable(launcher)) {
          return Optional.of(launcher);
        }
      }
    }
    return Optional.empty();
  }

  private static Path ownPlace() {
    try {
      return Path.of(Scripts.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
