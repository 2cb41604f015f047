package ristretto.jmh.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import ristretto.jmh.line.Line;

/** Cells of the table as text, for {@link TextTable} and {@link Markdown}. */
final class Cells {
  static final List<String> COMPETITORS =
      List.of(
          "ours",
          "recorded",
          "twin",
          "opencl",
          "C",
          "limit",
          "copy",
          "blas",
          "torch",
          "nd4j",
          "numexpr",
          "eager",
          "compile",
          "cupy");

  private Cells() {}

  static List<String> header(List<Row> rows) {
    var header = new ArrayList<>(List.of("line", "size", "T", "unit"));
    header.addAll(present(rows));
    header.add("GB/s");
    header.add("targets");
    return header;
  }

  /** Competitors with at least one time. */
  static List<String> present(List<Row> rows) {
    return COMPETITORS.stream()
        .filter(c -> rows.stream().anyMatch(r -> r.of(c).isPresent()))
        .toList();
  }

  static List<String> cells(Row row, List<Row> all) {
    var cells = new ArrayList<String>();
    boolean product = row.line().family() == Line.Family.GEMM;
    cells.add(row.line().name());
    cells.add(row.dims().label());
    cells.add(Integer.toString(row.threads()));
    cells.add(product ? "us" : "ns/elt");
    for (String competitor : present(all)) {
      cells.add(time(row, competitor, product));
    }
    OptionalDouble ours = row.time("ours");
    cells.add(
        ours.isEmpty() || product
            ? ""
            : String.format(
                Locale.ROOT, "%.1f", row.line().bytes(row.dims()) / ours.getAsDouble()));
    cells.add(targets(row));
    return cells;
  }

  private static String time(Row row, String competitor, boolean product) {
    OptionalDouble time = row.time(competitor);
    if (time.isEmpty()) {
      return "";
    }
    double scale = product ? 1e3 : row.line().elements(row.dims());
    return significant(time.getAsDouble() / scale);
  }

  static String significant(double value) {
    if (value >= 100) {
      return String.format(Locale.ROOT, "%.0f", value);
    }
    return String.format(Locale.ROOT, value >= 10 ? "%.1f" : value >= 1 ? "%.2f" : "%.3f", value);
  }

  /** Returns "ok" or the missed targets; empty for a row without targets. */
  private static String targets(Row row) {
    List<Verdict> verdicts = Targets.judge(row);
    if (verdicts.isEmpty()) {
      return "";
    }
    String missed =
        verdicts.stream()
            .filter(v -> !v.met())
            .map(Verdict::toString)
            .collect(Collectors.joining(", "));
    return missed.isEmpty() ? "ok" : "missed: " + missed;
  }
}
