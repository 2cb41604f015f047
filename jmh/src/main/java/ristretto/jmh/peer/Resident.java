package ristretto.jmh.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Resident memory of this process, as Linux counts it; 0 elsewhere. */
final class Resident {
  private static final Path STATUS = Path.of("/proc/self/status");

  private Resident() {}

  /** Bytes now; {@link #peak} counts from here on. */
  static long start() {
    System.gc();
    try {
      if (Files.isWritable(Path.of("/proc/self/clear_refs"))) {
        Files.writeString(Path.of("/proc/self/clear_refs"), "5");
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return bytes("VmRSS:");
  }

  /** Most bytes since {@link #start}. */
  static long peak() {
    return bytes("VmHWM:");
  }

  private static long bytes(String name) {
    if (!Files.exists(STATUS)) {
      return 0;
    }
    try {
      for (String line : Files.readAllLines(STATUS)) {
        if (line.startsWith(name)) {
          return 1024 * Long.parseLong(line.replaceAll("[^0-9]", ""));
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    throw new IllegalStateException(STATUS + " has no " + name);
  }
}
