package ristretto.jmh.nnet3;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Measurements of networks as text, Markdown and CSV. */
final class NetworkTable {
  /** Target for the first compilation in a process, in milliseconds. */
  private static final double COLD_MILLIS = 1500;

  /** Target for the computing time until code is at full speed, in seconds. */
  private static final double WARM_SECONDS = 3;

  /** Number of commands above which Kaldi's compilation time is the target. */
  private static final long MANY_COMMANDS = 500;

  /** Target for other compilations, and for those of other lengths, in milliseconds. */
  private static final double COMPILE_MILLIS = 20;

  /** Target for the compilation of a request with more sequences, in milliseconds. */
  private static final double SEQUENCES_MILLIS = 2;

  private static final List<String> HEADER =
      List.of(
          "network",
          "request",
          "T",
          "products",
          "calls",
          "kernels",
          "commands",
          "cold ms",
          "compile ms",
          "Kaldi ms",
          "wanted",
          "more n ms",
          "wanted",
          "longer ms",
          "wanted",
          "forward ms",
          "Kaldi ms",
          "Kaldi / ours",
          "wanted",
          "MB",
          "Kaldi MB",
          "ours / Kaldi",
          "round 1 ms",
          "round 3 ms",
          "round 10 ms",
          "best ms",
          "warm after s");

  private final List<List<String>> lines = new ArrayList<>();
  private final List<String> csv = new ArrayList<>();

  NetworkTable() {
    lines.add(HEADER);
    csv.add(
        "threads,"
            + NetworkLap.HEADER
            + ",cold_round1_ms,cold_round3_ms,cold_round10_ms,cold_best_ms,warm_s");
  }

  /**
   * Adds a measurement.
   *
   * @param cold times in a new process; null if not measured
   */
  void add(int threads, NetworkLap lap, KaldiTimes kaldi, ColdTimes cold) {
    csv.add(threads + "," + lap.line() + coldLine(cold));
    var cells = new ArrayList<String>();
    cells.add(lap.recipe());
    cells.add(lap.request());
    for (long number : new long[] {threads, lap.products(), lap.calls(), lap.others()}) {
      cells.add(Long.toString(number));
    }
    KaldiTimes.Times theirs = kaldi.of(lap.recipe(), lap.request(), threads).orElse(null);
    NetworkLap.Times ours = lap.times();
    cells.add(theirs == null ? "" : Long.toString(theirs.commands()));
    cells.add(marked(ours.first(), COLD_MILLIS));
    double most = mostToCompile(theirs);
    cells.add(marked(ours.compile(), most));
    cells.add(theirs == null ? "" : number(theirs.compile()));
    cells.add(number(most));
    cells.add(marked(ours.sequences(), SEQUENCES_MILLIS));
    cells.add(number(SEQUENCES_MILLIS));
    String fresh = lap.newKernels() == 0 ? "" : " +" + lap.newKernels();
    cells.add(marked(ours.length(), fresh.isEmpty() ? COMPILE_MILLIS : 0) + fresh);
    cells.add(number(COMPILE_MILLIS));
    cells.add(number(ours.forward()));
    cells.add(theirs == null ? "" : number(theirs.forward()));
    cells.add(
        theirs == null
            ? ""
            : String.format(Locale.ROOT, "%.2f", theirs.forward() / ours.forward()));
    double wanted = new Recipe(lap.recipe()).wanted(lap.request());
    cells.add(String.format(Locale.ROOT, "%.1f", wanted));
    // Training is left out: the bytes do not include values stored for the backward pass.
    boolean test = !lap.request().equals("train");
    cells.add(test ? number(lap.bytes() / 1e6) : "");
    cells.add(test && theirs != null ? number(theirs.bytes() / 1e6) : "");
    double share = theirs == null ? 0 : (double) lap.bytes() / theirs.bytes();
    cells.add(test && theirs != null ? String.format(Locale.ROOT, "%.2f", share) : "");
    cells.add(cold == null ? "" : number(cold.round1()));
    cells.add(cold == null ? "" : number(cold.round3()));
    cells.add(cold == null ? "" : number(cold.round10()));
    cells.add(cold == null ? "" : number(cold.best()));
    cells.add(cold == null ? "" : marked(cold.warmSeconds(), WARM_SECONDS));
    lines.add(cells);
  }

  private static String coldLine(ColdTimes cold) {
    if (cold == null) {
      return ",,,,,";
    }
    return String.format(
        Locale.ROOT,
        ",%.2f,%.2f,%.2f,%.2f,%.1f",
        cold.round1(),
        cold.round3(),
        cold.round10(),
        cold.best(),
        cold.warmSeconds());
  }

  /** Target for a compilation in milliseconds; NaN if Kaldi's number of commands is not known. */
  private static double mostToCompile(KaldiTimes.Times theirs) {
    if (theirs == null) {
      return Double.NaN;
    }
    return theirs.commands() > MANY_COMMANDS ? theirs.compile() : COMPILE_MILLIS;
  }

  /** Formats a time, marked if it misses its target. */
  private static String marked(double value, double most) {
    return number(value) + (value > most ? " missed" : "");
  }

  private static String number(double value) {
    if (Double.isNaN(value)) {
      return "";
    }
    return String.format(Locale.ROOT, value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value);
  }

  String text() {
    var text = new StringBuilder();
    for (List<String> line : lines) {
      for (int k = 0; k < line.size(); k++) {
        int column = k;
        int width = lines.stream().mapToInt(l -> l.get(column).length()).max().orElse(0);
        text.append(
            String.format(
                Locale.ROOT, k < 2 ? "%-" + width + "s" : "%" + width + "s", line.get(k)));
        text.append(k == line.size() - 1 ? "\n" : "  ");
      }
    }
    return text.toString();
  }

  String markdown() {
    var text = new StringBuilder();
    for (List<String> line : lines) {
      text.append("| ").append(String.join(" | ", line)).append(" |\n");
      if (line.equals(HEADER)) {
        text.append("| --- ".repeat(line.size())).append("|\n");
      }
    }
    return text.toString();
  }

  List<String> csv() {
    return csv;
  }
}
