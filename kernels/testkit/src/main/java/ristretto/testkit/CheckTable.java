package ristretto.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The results of all devices, one a line. */
final class CheckTable {
  private static final List<String> HEADER =
      List.of(
          "device",
          "passed",
          "worst error",
          "copy GB/s",
          "fused chain GB/s",
          "GEMM GFLOP/s",
          "launch µs");

  private CheckTable() {}

  static List<String> row(String device, CheckRun run, Measures m) {
    return List.of(
        device,
        run.passed() + " of " + run.concerned(),
        run.worst().ulps() == 0
            ? "none"
            : number(run.worst().ulps()) + " ulp (" + run.worst().where() + ")",
        number(m.copy()),
        number(m.chain()),
        number(m.gemm()),
        number(m.launch()));
  }

  /** Columns as wide as their longest cell. */
  static String of(List<List<String>> rows) {
    var lines = new ArrayList<List<String>>();
    lines.add(HEADER);
    lines.addAll(rows);
    var width = new int[HEADER.size()];
    for (List<String> line : lines) {
      for (int k = 0; k < line.size(); k++) {
        width[k] = Math.max(width[k], line.get(k).length());
      }
    }
    var text = new StringBuilder();
    for (List<String> line : lines) {
      for (int k = 0; k < line.size(); k++) {
        boolean last = k == line.size() - 1;
        text.append(line.get(k))
            .append(last ? "" : " ".repeat(width[k] - line.get(k).length() + 2));
      }
      text.append('\n');
    }
    return text.toString();
  }

  /** Three digits, more before the point. */
  private static String number(double v) {
    int decimals = v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
    return String.format(Locale.ROOT, "%." + decimals + "f", v);
  }
}
