package ristretto.kernels.debug;

import java.util.Locale;

/** Reports passes over a kernel: the IR at level 5, the time at level 6 and in the trace. */
public final class Passes {
  private Passes() {}

  /**
   * Reports a finished pass that turned {@code before} into {@code after}, whose text is the IR.
   *
   * @param kernel label of the kernel
   * @param start value of {@link System#nanoTime()} before the pass
   */
  public static void done(String kernel, String pass, long start, Object before, Object after) {
    if (!Trace.ON && !Debug.on(Debug.PASSES)) {
      return;
    }
    long nanos = System.nanoTime() - start;
    if (Debug.on(Debug.PASSES, kernel)) {
      String text = "[pass] " + kernel + " after " + pass;
      System.err.println(
          before.equals(after)
              ? text + " (unchanged)"
              : text + "\n" + after.toString().stripTrailing().indent(2).stripTrailing());
    }
    tell(kernel, pass, start, nanos);
  }

  /** Reports finished work on a kernel that produces no IR. */
  public static void timed(String kernel, String work, long start) {
    if (Trace.ON || Debug.on(Debug.TIMES)) {
      tell(kernel, work, start, System.nanoTime() - start);
    }
  }

  private static void tell(String kernel, String work, long start, long nanos) {
    if (Debug.on(Debug.TIMES, kernel)) {
      System.err.println(
          String.format(Locale.ROOT, "[time] %s %s %.3f ms", kernel, work, nanos / 1e6));
    }
    if (Trace.ON) {
      Trace.event(work, "pass", start, nanos, "kernel", kernel);
    }
  }
}
