package ristretto.kernels.debug;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * Profile in the format of Chrome's tracing page and Perfetto, for {@code RISTRETTO_TRACE=<file>}
 * ({@code ristretto.trace}): one event per launch, chunk of a launch, plan, lifted lambda,
 * compilation and compiler pass. {@code %p} in the file's name is replaced by the process id. The
 * file is complete whenever a context closes and when the JVM exits.
 */
public final class Trace {
  private static final TraceFile FILE = open(Debug.setting("RISTRETTO_TRACE", "ristretto.trace"));

  /**
   * True if tracing is on. Callers test this constant before they measure times, so disabled
   * tracing costs nothing in compiled code.
   */
  public static final boolean ON = FILE != null;

  private Trace() {}

  private static TraceFile open(String name) {
    if (name.isEmpty()) {
      return null;
    }
    try {
      String path = name.replace("%p", Long.toString(ProcessHandle.current().pid()));
      var file = new TraceFile(Path.of(path));
      Runtime.getRuntime().addShutdownHook(new Thread(file::flush, "ristretto-trace"));
      return file;
    } catch (IOException | InvalidPathException e) {
      System.err.println(
          "[trace] RISTRETTO_TRACE must name a file that can be written; got \""
              + name
              + "\" ("
              + e
              + "); nothing is traced");
      return null;
    }
  }

  /**
   * Adds an event of this thread.
   *
   * @param category category such as map, row, compile
   * @param start value of {@link System#nanoTime()} at the start
   * @param nanos duration in nanoseconds
   * @param details alternating names and values; a value is a number or is formatted as text
   */
  public static void event(
      String name, String category, long start, long nanos, Object... details) {
    if (ON) {
      FILE.add(name, category, start, nanos, details);
    }
  }

  /** Writes all events so far to the file. */
  public static void flush() {
    if (ON) {
      FILE.flush();
    }
  }
}
