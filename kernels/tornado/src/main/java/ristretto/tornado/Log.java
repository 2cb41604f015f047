package ristretto.tornado;

import java.util.HashSet;

/** Formats TornadoVM's exceptions. */
final class Log {
  /** Maximum number of stack frames of TornadoVM per exception. */
  private static final int PLACES = 3;

  private Log() {}

  /** Returns the text of the root cause. */
  static String first(Throwable error) {
    Throwable e = error;
    while (e.getCause() != null) {
      e = e.getCause();
    }
    return plain(e);
  }

  /**
   * Removes terminal escapes, and rewrites line:column positions, which refer to the driver's
   * source rather than ours.
   */
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
