package ristretto.kernels.device;

import java.util.Locale;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.debug.Trace;
import ristretto.kernels.ir.Kernel;

/** Log of launches: a line at debug level 2, an event in the trace. */
public final class LaunchLog {
  private LaunchLog() {}

  /** Returns true if launches of this kernel are reported and must be timed. */
  public static boolean watched(String kernel) {
    return Trace.ON || Debug.on(Debug.LAUNCHES, kernel);
  }

  /**
   * Reports a finished launch.
   *
   * @param start value of {@link System#nanoTime()} before the launch
   * @param nanos duration in nanoseconds
   * @param fresh true for the first launch of a kernel that was compiled for it
   */
  public static void done(Launch launch, Kernel kernel, long start, long nanos, boolean fresh) {
    double bandwidth = (double) launch.bytes() / Math.max(1, nanos);
    double speed = (double) launch.operations() / Math.max(1, nanos);
    String code = fresh ? "new" : "cached";
    if (Debug.on(Debug.LAUNCHES, launch.name())) {
      System.err.println(
          String.format(
              Locale.ROOT,
              "[launch] %s %s %.1f us, %.2f GB/s%s, %s",
              launch.name(),
              kernel.space(),
              nanos / 1e3,
              bandwidth,
              launch.operations() == 0 ? "" : String.format(Locale.ROOT, ", %.2f GFLOP/s", speed),
              code));
    }
    if (Trace.ON) {
      Trace.event(
          launch.name(),
          kernel.kind(),
          start,
          nanos,
          "extents",
          kernel.space(),
          "bytes",
          launch.bytes(),
          "GB/s",
          bandwidth,
          "GFLOP/s",
          speed,
          "code",
          code);
    }
  }
}
