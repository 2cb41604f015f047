package ristretto.jmh.nnet3;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import ristretto.jmh.start.Launcher;
import ristretto.jmh.start.MeasuringProcess;

/**
 * Measures requests of recipes, one process per number of threads. First compilations and first
 * rounds are measured on a command started like a user's, if there is a launcher and wall time is
 * measured.
 */
public final class NetworksBench {
  private static final int QUICK_MILLIS = 200;
  private static final int FULL_MILLIS = 3000;

  /** Number of turns of each side. */
  private static final int TURNS = 2;

  /** Number of processes for a first compilation and first rounds. */
  private static final int COLD_RUNS = 3;

  /** Computing time of each of these processes, in seconds. */
  private static final double COLD_SECONDS = 5;

  private static final double QUICK_COLD_SECONDS = 1;

  private final List<String> lines;
  private final List<Integer> threads;
  private final boolean quick;
  private final Path kaldi;
  private final Path program;
  private final boolean processorTime;

  /**
   * Selects the requests to measure.
   *
   * @param only pattern of the lines' full names, such as {@code tdnnf_swbd_7q-train}
   * @param kaldi file of Kaldi's times, see {@link KaldiTimes}; or null
   * @param program program that measures Kaldi in turns with us, see {@link KaldiProgram}; or null
   * @param processorTime true for CPU time, false for wall time
   */
  public NetworksBench(
      Pattern only,
      List<Integer> threads,
      boolean quick,
      Path kaldi,
      Path program,
      boolean processorTime) {
    this.processorTime = processorTime;
    this.program = program;
    this.lines = list().stream().filter(l -> only.matcher(l).matches()).toList();
    this.threads = threads;
    this.quick = quick;
    this.kaldi = kaldi;
  }

  /** Lists the names of all lines. */
  public static List<String> list() {
    return Recipe.ALL.stream()
        .flatMap(r -> Recipe.REQUESTS.stream().map(q -> r.name() + "-" + q))
        .toList();
  }

  /** Returns the error in the selection; empty if there is none. */
  public String complaint() {
    if (lines.isEmpty()) {
      return "--only leaves no request to measure; there are " + String.join(", ", list());
    }
    if (kaldi != null && !Files.isReadable(kaldi)) {
      return "--kaldi must name a readable file; got '" + kaldi + "'";
    }
    if (processorTime && !threads.equals(List.of(1))) {
      return "--processor-time measures one thread; add --threads 1";
    }
    return program == null || Files.isExecutable(program)
        ? ""
        : "--kaldi-program must name an executable program; got '" + program + "'";
  }

  /**
   * Measures, and prints a table.
   *
   * @param output folder for {@code networks.csv} and {@code networks.md}, or null
   */
  public int run(Path output) throws IOException {
    KaldiTimes times = kaldi == null ? KaldiTimes.NONE : KaldiTimes.read(kaldi);
    var table = new NetworkTable();
    Optional<Launcher> launcher = Launcher.find();
    for (String line : lines) {
      for (int count : threads) {
        System.err.println(line + ", threads " + count);
        int dash = line.lastIndexOf('-');
        var recipe = new Recipe(line.substring(0, dash));
        String request = line.substring(dash + 1);
        NetworkLap least = null;
        for (int turn = 0; turn < (program == null ? 1 : TURNS); turn++) {
          if (program != null) {
            KaldiTimes.Times theirs =
                new KaldiProgram(program, processorTime).measure(recipe, request, count, quick);
            times = times.with(recipe.name(), request, count, theirs);
          }
          NetworkLap lap = measure(recipe.name(), request, count);
          least = least == null ? lap : least.lesser(lap);
        }
        ColdTimes cold = null;
        if (launcher.isPresent() && !processorTime) {
          cold =
              new ColdCommand(
                      launcher.get(),
                      quick ? 1 : COLD_RUNS,
                      quick ? QUICK_COLD_SECONDS : COLD_SECONDS)
                  .measure(recipe, request, count);
          least = least.withFirst(cold.compile());
        }
        table.add(count, least, times, cold);
      }
    }
    System.out.print(table.text());
    if (output != null) {
      Files.createDirectories(output);
      Files.write(output.resolve("networks.csv"), table.csv());
      Files.writeString(output.resolve("networks.md"), table.markdown());
      System.err.println("written to " + output);
    }
    return 0;
  }

  private NetworkLap measure(String recipe, String request, int count) throws IOException {
    var arguments =
        List.of(
            Integer.toString(quick ? QUICK_MILLIS : FULL_MILLIS),
            Boolean.toString(processorTime),
            recipe,
            request);
    return NetworkLap.parse(
        MeasuringProcess.answer(NetworkServer.class, arguments, count, recipe + "-" + request));
  }
}
