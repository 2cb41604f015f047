package ristretto.jmh.nnet3;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What was measured, as text, Markdown and CSV. */
final class NetworkTable {
  /** What the first compilation in a process may take. */
  private static final double COLD_MILLIS = 1500;

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
          "more n ms",
          "longer ms",
          "forward ms",
          "Kaldi ms",
          "Kaldi / ours",
          "wanted",
          "MB",
          "Kaldi MB",
          "ours / Kaldi");

  private final List<List<String>> lines = new ArrayList<>();
  private final List<String> csv = new ArrayList<>();

  NetworkTable() {
    lines.add(HEADER);
    csv.add("threads," + NetworkLap.HEADER);
  }

  void add(int threads, NetworkLap lap, KaldiTimes kaldi) {
    csv.add(threads + "," + lap.line());
    var cells = new ArrayList<String>();
    cells.add(lap.recipe());
    cells.add(lap.request());
    for (long number : new long[] {threads, lap.products(), lap.calls(), lap.others()}) {
      cells.add(Long.toString(number));
    }
    KaldiTimes.Times theirs = kaldi.of(lap.recipe(), lap.request(), threads).orElse(null);
    NetworkLap.Times ours = lap.times();
    cells.add(theirs == null ? "" : Long.toString(theirs.commands()));
    cells.add(number(ours.first()) + (ours.first() > COLD_MILLIS ? " missed" : ""));
    cells.add(number(ours.compile()));
    cells.add(theirs == null ? "" : number(theirs.compile()));
    cells.add(number(ours.sequences()));
    cells.add(number(ours.length()) + (lap.newKernels() == 0 ? "" : " +" + lap.newKernels()));
    cells.add(number(ours.forward()));
    cells.add(theirs == null ? "" : number(theirs.forward()));
    cells.add(
        theirs == null
            ? ""
            : String.format(Locale.ROOT, "%.2f", theirs.forward() / ours.forward()));
    double wanted = new Recipe(lap.recipe()).wanted(lap.request());
    cells.add(String.format(Locale.ROOT, "%.1f", wanted));
    // What a minibatch keeps for its backward pass is not counted.
    boolean test = !lap.request().equals("train");
    cells.add(test ? number(lap.bytes() / 1e6) : "");
    cells.add(test && theirs != null ? number(theirs.bytes() / 1e6) : "");
    double share = theirs == null ? 0 : (double) lap.bytes() / theirs.bytes();
    cells.add(test && theirs != null ? String.format(Locale.ROOT, "%.2f", share) : "");
    lines.add(cells);
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
        text.append(String.format(k < 2 ? "%-" + width + "s" : "%" + width + "s", line.get(k)));
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
