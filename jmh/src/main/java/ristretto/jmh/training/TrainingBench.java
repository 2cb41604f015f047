package ristretto.jmh.training;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Compares training steps with PyTorch's. Each side runs in one process per number of threads. The
 * samples of all processes are interleaved, and each side counts with its faster number of threads.
 */
public final class TrainingBench {
  private final List<TrainingLine> lines;
  private final List<Integer> threads;
  private final TrainingEffort effort;
  private final Set<String> remarks = new LinkedHashSet<>();

  /**
   * Selects the lines to measure.
   *
   * @param only pattern of the lines' full labels
   */
  public TrainingBench(Pattern only, List<Integer> threads, boolean quick) {
    this.lines = TrainingLine.ALL.stream().filter(l -> only.matcher(l.label()).matches()).toList();
    this.threads = threads;
    this.effort = quick ? TrainingEffort.QUICK : TrainingEffort.FULL;
  }

  /** Returns the error in the selection; empty if there is none. */
  public String complaint() {
    return lines.isEmpty()
        ? "--only leaves no training to measure; there are "
            + String.join(", ", TrainingLine.ALL.stream().map(TrainingLine::label).toList())
        : "";
  }

  /** Lists the labels and descriptions of all lines. */
  public static List<String> list() {
    return TrainingLine.ALL.stream()
        .map(l -> String.format(Locale.ROOT, "%-22s %s", l.label(), l.what()))
        .toList();
  }

  /**
   * Measures, and prints a table.
   *
   * @param output folder for {@code training.csv} and {@code training.md}, or null
   */
  public int run(Path output) throws IOException {
    var standings = new ArrayList<Standing>();
    for (TrainingLine line : lines) {
      System.err.println(line.label() + ": " + line.what());
      Standing standing = measure(line);
      standings.add(standing);
      System.err.print(TrainingTable.text(List.of(standing)));
    }
    System.out.print(TrainingTable.text(standings));
    remarks.forEach(r -> System.out.println("note: " + r));
    if (output != null) {
      Files.createDirectories(output);
      Files.writeString(output.resolve("training.md"), TrainingTable.markdown(standings));
      Files.write(output.resolve("training.csv"), TrainingTable.csv(standings));
      System.err.println("written to " + output);
    }
    return 0;
  }

  private Standing measure(TrainingLine line) throws IOException {
    var racers = new ArrayList<Racer>();
    try {
      for (int count : threads) {
        for (Racer.Side side : line.sides()) {
          add(racers, side, count, line);
        }
      }
      for (int round = 0; round < effort.samples(); round++) {
        racers.forEach(Racer::sample);
      }
      return new Standing(line, racers.stream().map(Racer::lap).toList());
    } finally {
      racers.forEach(Racer::close);
    }
  }

  private void add(List<Racer> racers, Racer.Side side, int count, TrainingLine line)
      throws IOException {
    try {
      var racer = new Racer(side, count, line, effort);
      racers.add(racer);
      if (side == Racer.Side.TORCH) {
        remarks.add("torch: " + racer.version());
      }
    } catch (IOException e) {
      if (side != Racer.Side.TORCH) {
        throw e;
      }
      remarks.add("torch: skipped, " + e.getMessage());
    }
  }
}
