package ristretto.kernels.debug;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * A profile in the form that Chrome's tracing page and Perfetto read, for {@code
 * RISTRETTO_TRACE=<file>} ({@code ristretto.trace}): an event a launch, a chunk of one, a plan, a
 * lifted lambda, a compilation and each pass of it. {@code %p} in the file's name becomes the
 * process id. The file is complete whenever a context closes and when the JVM exits.
 */
public final class Trace {
  private static final TraceFile FILE = open(Debug.setting("RISTRETTO_TRACE", "ristretto.trace"));

  /**
   * Callers ask before they take times: a constant once compiled, so that no trace costs nothing.
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
   * @param category such as map, row, compile
   * @param start as {@link System#nanoTime()} told
   * @param details names and values by turns; a value is a number or anything with a text
   */
  public static void event(
      String name, String category, long start, long nanos, Object... details) {
    if (ON) {
      FILE.add(name, category, start, nanos, details);
    }
  }

  /** Brings all events so far to the file. */
  public static void flush() {
    if (ON) {
      FILE.flush();
    }
  }
}
