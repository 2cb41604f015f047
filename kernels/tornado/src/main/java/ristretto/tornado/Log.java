package ristretto.tornado;

import java.util.HashSet;

/** What TornadoVM's exceptions say. */
final class Log {
  /** Of places in TornadoVM. */
  private static final int PLACES = 3;

  private Log() {}

  /** What was wrong at first. */
  static String first(Throwable error) {
    Throwable e = error;
    while (e.getCause() != null) {
      e = e.getCause();
    }
    return plain(e);
  }

  /** TornadoVM writes for terminals, and of lines that are the driver's, not our source's. */
  private static String plain(Throwable e) {
    return e.toString()
        .replaceAll("\u001b\\[[0-9;]*m", "")
        .replaceAll(":(\\d+):(\\d+):", ", line $1, column $2:")
        .strip();
  }

  static String of(Throwable error) {
    var text = new StringBuilder();
    var seen = new HashSet<Throwable>();
    for (Throwable e = error; e != null && seen.add(e); e = e.getCause()) {
      text.append(text.isEmpty() ? "" : "\ncaused by ").append(plain(e));
      StackTraceElement[] trace = e.getStackTrace();
      for (int k = 0; k < Math.min(PLACES, trace.length); k++) {
        text.append("\n  at ").append(trace[k]);
      }
    }
    return text.toString();
  }
}
