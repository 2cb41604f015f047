package ristretto.jmh.nnet3;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import ristretto.jmh.start.MeasuringProcess;
import ristretto.nnet3.fst.WriteFst;
import ristretto.nnet3.io.KaldiOutput;

/**
 * Measures the denominator of the chain objective in turns with a hand-written twin on one thread,
 * and with a program linked with Kaldi.
 */
public final class ChainBench {
  private static final int QUICK_MILLIS = 500;
  private static final int FULL_MILLIS = 15_000;
  private static final int TURNS = 2;
  private static final int ROUNDS = 4;

  private final List<ChainLine> lines;
  private final List<Integer> threads;
  private final String device;
  private final boolean quick;
  private final Path program;

  /**
   * Selects the lines to measure.
   *
   * @param only pattern of the lines' names, such as {@code den-3000}
   * @param device device of the engine
   * @param program program that measures Kaldi, called as {@code PROGRAM DEN.fst PDFS SEQUENCES
   *     FRAMES ROUNDS}, which prints the least time of a forward and backward pass in seconds; or
   *     null
   */
  public ChainBench(
      Pattern only, List<Integer> threads, String device, boolean quick, Path program) {
    lines = ChainLine.ALL.stream().filter(l -> only.matcher(l.name()).matches()).toList();
    this.threads = threads;
    this.device = device;
    this.quick = quick;
    this.program = program;
  }

  /** Lists the names of all lines. */
  public static List<String> list() {
    return ChainLine.ALL.stream().map(ChainLine::name).toList();
  }

  /** Returns the error in the selection; empty if there is none. */
  public String complaint() {
    if (lines.isEmpty()) {
      return "--only leaves no line to measure; there are " + String.join(", ", list());
    }
    return program == null || Files.isExecutable(program)
        ? ""
        : "--kaldi-program must name an executable program; got '" + program + "'";
  }

  /** Times of a side. */
  private record Lap(double plan, double millis, long kernels, long bytes) {
    static Lap parse(String answer) {
      String[] words = answer.split(" ", -1);
      return new Lap(
          Double.parseDouble(words[0]),
          Double.parseDouble(words[1]),
          Long.parseLong(words[2]),
          Long.parseLong(words[3]));
    }

    Lap least(Lap other) {
      return other == null || millis < other.millis ? this : other;
    }
  }

  /** Measures, and prints a table. */
  public int run() throws IOException {
    System.out.printf(
        Locale.ROOT,
        "%-10s %7s %8s %8s %8s %8s %10s %10s %9s%n",
        "line",
        "threads",
        "plan ms",
        "run ms",
        "kernels",
        "MiB",
        "twin/ours",
        "Kaldi/ours",
        "Kaldi ms");
    for (ChainLine line : lines) {
      for (int count : threads) {
        Lap ours = null;
        Lap twin = null;
        double kaldi = Double.POSITIVE_INFINITY;
        for (int turn = 0; turn < TURNS; turn++) {
          ours = lap(device, line, count).least(ours);
          twin = lap("twin", line, 1).least(twin);
          kaldi = program == null ? Double.NaN : Math.min(kaldi, kaldi(line, count));
        }
        System.out.printf(
            Locale.ROOT,
            "%-10s %7d %8.0f %8.1f %8d %8.0f %10.2f %10s %9s%n",
            line.name(),
            count,
            ours.plan,
            ours.millis,
            ours.kernels,
            ours.bytes / 0x1p20,
            twin.millis / ours.millis,
            Double.isNaN(kaldi) ? "-" : String.format(Locale.ROOT, "%.2f", kaldi / ours.millis),
            Double.isNaN(kaldi) ? "-" : String.format(Locale.ROOT, "%.1f", kaldi));
      }
    }
    return 0;
  }

  private Lap lap(String side, ChainLine line, int count) throws IOException {
    var arguments =
        List.of(side, line.name(), Integer.toString(quick ? QUICK_MILLIS : FULL_MILLIS));
    return Lap.parse(MeasuringProcess.answer(ChainServer.class, arguments, count, line.name()));
  }

  private double kaldi(ChainLine line, int count) throws IOException {
    Path fst = Files.createTempFile("ristretto-den", ".fst");
    try {
      KaldiOutput.write(fst.toString(), false, out -> WriteFst.vector(out, line.graph().fst()));
      var command = new ArrayList<>(List.of(program.toString(), fst.toString()));
      for (int number :
          new int[] {line.graph().pdfs(), line.sequences(), line.frames(), quick ? 1 : ROUNDS}) {
        command.add(Integer.toString(number));
      }
      var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
      builder.environment().put("OPENBLAS_NUM_THREADS", Integer.toString(count));
      Process process = builder.start();
      try (BufferedReader answers = process.inputReader(StandardCharsets.UTF_8)) {
        return 1e3 * Double.parseDouble(answers.readLine());
      } catch (NullPointerException | NumberFormatException e) {
        throw new IOException(program + " must print the seconds of a pass", e);
      }
    } finally {
      Files.delete(fst);
    }
  }
}
