package ristretto.jmh.report;

import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** Tables as Markdown, for {@code docs/performance.md}. */
final class Markdown {
  private Markdown() {}

  static String of(List<Row> rows, List<Fact> facts) {
    var text = new StringBuilder();
    if (!rows.isEmpty()) {
      List<String> header = Cells.header(rows);
      line(text, header);
      line(text, Collections.nCopies(header.size(), "---"));
      rows.forEach(r -> line(text, Cells.cells(r, rows)));
    }
    if (!facts.isEmpty()) {
      text.append('\n');
      line(text, List.of("fact", "what", "value", "at most", ""));
      line(text, Collections.nCopies(5, "---"));
      for (Fact fact : facts) {
        line(
            text,
            List.of(
                fact.name(),
                fact.what(),
                String.format(Locale.ROOT, "%s %s", Cells.significant(fact.value()), fact.unit()),
                fact.target().map(TextTable::plain).orElse(""),
                fact.target().isEmpty() ? "" : fact.met() ? "ok" : "missed"));
      }
    }
    return text.toString();
  }

  private static void line(StringBuilder text, List<String> cells) {
    text.append("| ").append(String.join(" | ", cells)).append(" |\n");
  }
}
