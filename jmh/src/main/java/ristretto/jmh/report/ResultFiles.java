package ristretto.jmh.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Writes all measurements to a folder. */
public final class ResultFiles {
  private ResultFiles() {}

  /** Writes {@code results.csv}, {@code facts.csv}, {@code table.md} and the charts. */
  public static void write(Path folder, List<Row> rows, List<Fact> facts) throws IOException {
    Files.createDirectories(folder);
    Files.write(folder.resolve("results.csv"), results(rows));
    Files.write(folder.resolve("facts.csv"), facts(facts));
    Files.writeString(folder.resolve("table.md"), Markdown.of(rows, facts));
    Charts.write(folder, rows);
  }

  private static List<String> results(List<Row> rows) {
    var lines = new ArrayList<String>();
    lines.add("line,size,threads,competitor,median_ns,least_ns,relative_error");
    for (Row row : rows) {
      for (String competitor : Cells.COMPETITORS) {
        row.of(competitor)
            .ifPresent(m ->
                lines.add(
                    String.join(
                        ",",
                        row.line().name(),
                        row.dims().toString(),
                        Integer.toString(row.threads()),
                        competitor,
                        Double.toString(m.median()),
                        Double.toString(m.least()),
                        Double.toString(m.error()))));
      }
    }
    return lines;
  }

  private static List<String> facts(List<Fact> facts) {
    var lines = new ArrayList<String>();
    lines.add("name,value,unit,at_most");
    facts.forEach(f ->
        lines.add(
            String.join(
                ",",
                f.name(),
                Double.toString(f.value()),
                f.unit(),
                f.target().map(TextTable::plain).orElse(""))));
    return lines;
  }
}
