package ristretto.jmh.scripting;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.jmh.peer.PeerProcess;
import ristretto.jmh.run.Job;
import ristretto.jmh.run.LoopJob;
import ristretto.jmh.twin.BareLapack;

/**
 * Compares functions for scripts with NumPy's and SciPy's, in a process each, and with bare calls
 * of LAPACK in this process; their samples are interleaved. The sums of the magnitudes of our
 * results and NumPy's must agree.
 */
public final class ScriptingBench {
  private static final double TOLERANCE = 1e-5;
  private static final long SAMPLE_NANOS = 100_000_000L;

  /** Nanoseconds after which a line has no more rounds than {@link #LEAST_ROUNDS}. */
  private static final long LINE_NANOS = 20_000_000_000L;

  private static final int LEAST_ROUNDS = 3;
  private static final String ROW = "%-22s %-52s %10s %10s %8s %8s  %s";

  private final List<ScriptingLine> lines;
  private final int samples;

  /**
   * Selects the lines to measure.
   *
   * @param only pattern of the lines' full labels
   */
  public ScriptingBench(Pattern only, boolean quick) {
    lines = ScriptingLines.ALL.stream().filter(l -> only.matcher(l.label()).matches()).toList();
    samples = quick ? 5 : 20;
  }

  /** Returns the error in the selection; empty if there is none. */
  public String complaint() {
    return lines.isEmpty()
        ? "--only leaves no function to measure; there are "
            + String.join(", ", ScriptingLines.ALL.stream().map(ScriptingLine::label).toList())
        : "";
  }

  /** Lists the labels and descriptions of all lines. */
  public static List<String> list() {
    return ScriptingLines.ALL.stream()
        .map(l -> String.format(Locale.ROOT, "%-22s %s", l.label(), l.what()))
        .toList();
  }

  /** Measures with a number of threads on both sides, and prints a table. */
  public int run(int threads) throws IOException {
    System.setProperty("ristretto.cpu.threads", Integer.toString(threads));
    try (Context ctx = Context.open();
        PeerProcess numpy = numpy(threads)) {
      BareLapack lapack = BareLapack.load(threads);
      System.out.println(
          numpy.version() + ", " + threads + (threads == 1 ? " thread" : " threads"));
      System.out.println(
          String.format(
              Locale.ROOT, ROW, "line", "work", "ours ms", "peer ms", "ratio", "wanted", ""));
      for (ScriptingLine line : lines) {
        System.out.println(measure(ctx, numpy, lapack, line));
      }
    }
    return 0;
  }

  private static PeerProcess numpy(int threads) throws IOException {
    Path script = Files.createTempFile("ristretto-numpy", ".py");
    script.toFile().deleteOnExit();
    try (InputStream in = ScriptingBench.class.getResourceAsStream("numpy_server.py")) {
      Files.write(script, in.readAllBytes());
    }
    IOException last = null;
    for (String python : List.of("/usr/bin/python3", "python3")) {
      try {
        var builder = new ProcessBuilder(python, script.toString());
        PeerProcess.limitThreads(builder, threads);
        return new PeerProcess("numpy", builder);
      } catch (IOException e) {
        last = e;
      }
    }
    throw new IOException("no python3 with NumPy and SciPy was found", last);
  }

  private String measure(Context ctx, PeerProcess numpy, BareLapack lapack, ScriptingLine line) {
    Job ours = ours(ctx, line);
    Optional<Job> peer =
        line.bare().isPresent()
            ? Optional.of(bare(line.bare().get().apply(lapack)))
            : numpy.prepare("prepare " + line.label());
    String verdict = "";
    if (line.bare().isEmpty() && peer.isPresent()) {
      double sum = ours.probe(new long[1])[0];
      double expected = peer.get().probe(new long[1])[0];
      if (!(Math.abs(sum - expected) <= TOLERANCE * Math.abs(expected))) {
        verdict = "wrong result: " + sum + " in place of " + expected;
      }
    }
    List<Job> jobs = new ArrayList<>(List.of(ours));
    peer.ifPresent(jobs::add);
    double[] best = best(jobs);
    jobs.forEach(Job::close);
    double ratio = line.bytes() == 0 ? best[1] / best[0] : line.bytes() * 1e3 / best[0];
    if (verdict.isEmpty()) {
      verdict = ratio >= line.wanted() ? "ok" : "missed";
    }
    return String.format(
        Locale.ROOT,
        ROW,
        line.label(),
        line.what(),
        number("%.3f", best[0] / 1e6),
        peer.isPresent() ? number("%.3f", best[1] / 1e6) : "",
        line.bytes() == 0 ? number("%.2f", ratio) : number("%.0f MB/s", ratio),
        line.bytes() == 0 ? number("%.2f", line.wanted()) : number("%.0f", line.wanted()),
        verdict);
  }

  /** Least nanoseconds of a call of each job, in interleaved rounds. */
  private double[] best(List<Job> jobs) {
    double[] best = new double[2];
    Arrays.fill(best, Double.POSITIVE_INFINITY);
    long[] calls = jobs.stream().mapToLong(ScriptingBench::calls).toArray();
    long start = System.nanoTime();
    for (int round = 0; round < samples; round++) {
      if (round >= LEAST_ROUNDS && System.nanoTime() - start > LINE_NANOS) {
        break;
      }
      for (int k = 0; k < jobs.size(); k++) {
        best[k] = Math.min(best[k], (double) jobs.get(k).time(calls[k]) / calls[k]);
      }
    }
    return best;
  }

  private static Job bare(Runnable call) {
    return new LoopJob(call, _ -> 0, () -> {});
  }

  private static Job ours(Context ctx, ScriptingLine line) {
    ScriptingLine.Work work = line.work().apply(new Data(ctx));
    return new LoopJob(work::run, _ -> magnitude(ctx, work.run()), () -> {});
  }

  private static <T> double magnitude(Context ctx, Tensor<T> result) {
    return ctx.eval(Ops.sum(Ops.abs(result.cast(Ops.F64)))).item();
  }

  /** Number of calls of a sample, after a warm-up. */
  private static long calls(Job job) {
    long start = System.nanoTime();
    double call = Double.POSITIVE_INFINITY;
    for (int k = 0; k < 50 && (k < 1 || System.nanoTime() - start < 20 * SAMPLE_NANOS); k++) {
      call = Math.min(call, job.time(1));
    }
    return Math.max(1, (long) Math.ceil(SAMPLE_NANOS / call));
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
