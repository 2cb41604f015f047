package ristretto.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Results of all devices: one line per device, then the failures. */
final class CheckReport {
  private static final List<String> HEADER =
      List.of(
          "device",
          "passed",
          "worst error",
          "copy GB/s",
          "fused chain GB/s",
          "GEMM GFLOP/s",
          "launch us");

  private final List<List<String>> lines = new ArrayList<>(List.of(HEADER));
  private final List<String> failures = new ArrayList<>();

  void add(String device, CheckRun run, Measures m) {
    lines.add(
        List.of(
            device,
            run.passed() + " of " + run.concerned(),
            run.worst().ulps() == 0
                ? "none"
                : number(run.worst().ulps()) + " ulp (" + run.worst().where() + ")",
            number(m.copy()),
            number(m.chain()),
            number(m.gemm()),
            number(m.launch())));
    run.failures().forEach(text -> failures.add(device + ": " + text));
  }

  /** Adds a device that could not be opened or was lost. */
  void add(String device, RuntimeException e) {
    lines.add(List.of(device, "none"));
    failures.add(device + ": " + e.getMessage());
  }

  boolean passed() {
    return failures.isEmpty();
  }

  /** Formats the table; columns are as wide as their longest cell. */
  @Override
  public String toString() {
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
    if (!failures.isEmpty()) {
      text.append("\nFailed:\n\n").append(String.join("\n\n", failures)).append('\n');
    }
    return text.toString();
  }

  /** Formats three significant digits; numbers of 1000 or more without decimals. */
  private static String number(double v) {
    int decimals = v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
    return String.format(Locale.ROOT, "%." + decimals + "f", v);
  }
}
