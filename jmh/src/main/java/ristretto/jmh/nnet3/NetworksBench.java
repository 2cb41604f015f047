package ristretto.jmh.nnet3;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import ristretto.jmh.start.Launcher;

/**
 * Requests of recipes, each number of threads in a process of its own. First compilations and first
 * rounds are those of a command, started as a user starts it, where there is a launcher and the
 * clock is measured.
 */
public final class NetworksBench {
  private static final int QUICK_MILLIS = 200;
  private static final int FULL_MILLIS = 3000;

  /** How often each side has its turn. */
  private static final int TURNS = 2;

  /** Processes for a first compilation and first rounds. */
  private static final int COLD_RUNS = 3;

  /** Seconds of computing in each of them. */
  private static final double COLD_SECONDS = 5;

  private static final double QUICK_COLD_SECONDS = 1;

  private final List<String> lines;
  private final List<Integer> threads;
  private final boolean quick;
  private final Path kaldi;
  private final Path program;
  private final boolean processorTime;

  /**
   * @param only lines whose whole name, such as {@code tdnnf_swbd_7q-train}, matches
   * @param kaldi a file of Kaldi's times, see {@link KaldiTimes}; or null
   * @param program that measures Kaldi in turns with us, see {@link KaldiProgram}; or null
   * @param processorTime whether times are those of the processor, not of the clock
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

  /** What there is to measure. */
  public static List<String> list() {
    return Recipe.ALL.stream()
        .flatMap(r -> Recipe.REQUESTS.stream().map(q -> r.name() + "-" + q))
        .toList();
  }

  /** What is wrong with the selection, or empty. */
  public String complaint() {
    if (lines.isEmpty()) {
      return "--only leaves no request to measure; there are " + String.join(", ", list());
    }
    if (kaldi != null && !Files.isReadable(kaldi)) {
      return "--kaldi names a file that can be read; got '" + kaldi + "'";
    }
    if (processorTime && !threads.equals(List.of(1))) {
      return "--processor-time is of one thread; say --threads 1";
    }
    return program == null || Files.isExecutable(program)
        ? ""
        : "--kaldi-program names a program that can be run; got '" + program + "'";
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
