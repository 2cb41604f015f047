package ristretto.jmh.training;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Results of training as text, Markdown and CSV. */
final class TrainingTable {
  private static final List<String> HEADER =
      List.of(
          "line",
          "ours ms",
          "T",
          "torch ms",
          "T",
          "copy ms",
          "rival / ours",
          "wanted",
          "ours MB",
          "torch MB",
          "");

  private TrainingTable() {}

  static String text(List<Standing> standings) {
    List<List<String>> lines = lines(standings);
    var text = new StringBuilder();
    for (List<String> line : lines) {
      for (int k = 0; k < line.size(); k++) {
        int column = k;
        int width =
            Math.max(1, lines.stream().mapToInt(l -> l.get(column).length()).max().orElse(1));
        boolean words = k == 0 || k == line.size() - 1;
        text.append(
            String.format(
                Locale.ROOT, words ? "%-" + width + "s" : "%" + width + "s", line.get(k)));
        text.append(k == line.size() - 1 ? "\n" : "  ");
      }
    }
    return text.toString();
  }

  static String markdown(List<Standing> standings) {
    var text = new StringBuilder();
    for (List<String> line : lines(standings)) {
      text.append("| ").append(String.join(" | ", line)).append(" |\n");
      if (line.equals(HEADER)) {
        text.append("| --- ".repeat(line.size())).append("|\n");
      }
    }
    return text.toString();
  }

  private static List<List<String>> lines(List<Standing> standings) {
    var lines = new ArrayList<List<String>>();
    lines.add(HEADER);
    for (Standing s : standings) {
      var cells = new ArrayList<String>();
      Optional<Lap> ours = s.best(Racer.Side.OURS);
      Optional<Lap> torch = s.best(Racer.Side.TORCH);
      cells.add(s.line().label());
      for (Optional<Lap> lap : List.of(ours, torch)) {
        cells.add(lap.map(l -> number("%.3f", l.least() / 1e6)).orElse(""));
        cells.add(lap.map(l -> Integer.toString(l.threads())).orElse(""));
      }
      cells.add(s.best(Racer.Side.COPY).map(l -> number("%.3f", l.least() / 1e6)).orElse(""));
      cells.add(s.ratio().map(r -> number("%.2f", r)).orElse(""));
      cells.add(number("%.2f", s.line().wanted()));
      for (Optional<Lap> lap : List.of(ours, torch)) {
        cells.add(
            lap.filter(l -> l.peak() > 0).map(l -> number("%.2f", l.peak() / 1e6)).orElse(""));
      }
      cells.add(s.verdict());
      lines.add(cells);
    }
    return lines;
  }

  static List<String> csv(List<Standing> standings) {
    var lines = new ArrayList<String>();
    lines.add("line,side,threads,least_ns,median_ns,peak_bytes");
    for (Standing s : standings) {
      for (Lap l : s.laps()) {
        lines.add(
            String.join(
                ",",
                s.line().label(),
                l.side().text,
                Integer.toString(l.threads()),
                Double.toString(l.least()),
                Double.toString(l.median()),
                Long.toString(l.peak())));
      }
    }
    return lines;
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
