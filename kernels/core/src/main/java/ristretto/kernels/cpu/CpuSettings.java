package ristretto.kernels.cpu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import ristretto.kernels.DeviceException;

/**
 * What a cpu device is opened with.
 *
 * @param threads that work on a kernel, its caller included
 * @param memoryLimit most bytes of buffers
 */
record CpuSettings(int threads, long memoryLimit) {
  /**
   * From {@code ristretto.cpu.threads} or RISTRETTO_THREADS, and {@code
   * ristretto.cpu.memory-limit}.
   */
  static CpuSettings fromSystem() {
    String threads =
        System.getProperty("ristretto.cpu.threads", System.getenv("RISTRETTO_THREADS"));
    String limit = System.getProperty("ristretto.cpu.memory-limit");
    return new CpuSettings(
        threads == null || threads.isBlank()
            ? Runtime.getRuntime().availableProcessors()
            : threads(threads.trim()),
        limit == null || limit.isBlank() ? Long.MAX_VALUE : bytes(limit.trim()));
  }

  static int threads(String text) {
    try {
      int n = Integer.parseInt(text);
      if (n >= 1 && n <= 1024) {
        return n;
      }
    } catch (NumberFormatException _) {
      // Said below.
    }
    throw new DeviceException(
        "[cpu] the number of threads must be from 1 to 1024; got \""
            + text
            + "\"; correct RISTRETTO_THREADS or -Dristretto.cpu.threads");
  }

  /** A number of bytes, with k, m or g for multiples of 1024. */
  static long bytes(String text) {
    String number = text.toLowerCase(Locale.ROOT);
    int shift = number.isEmpty() ? 0 : 10 * ("kmg".indexOf(number.charAt(number.length() - 1)) + 1);
    try {
      long n = Long.parseLong(shift == 0 ? number : number.substring(0, number.length() - 1));
      if (n > 0 && n <= Long.MAX_VALUE >> shift) {
        return n << shift;
      }
    } catch (NumberFormatException _) {
      // Said below.
    }
    throw new DeviceException(
        "[cpu] the memory limit must be a positive number of bytes, such as 512m or 4g; got \""
            + text
            + "\"; correct -Dristretto.cpu.memory-limit");
  }

  /** The processor's name where the system tells it. */
  static String processor() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/cpuinfo"))) {
        if (line.startsWith("model name")) {
          return line.substring(line.indexOf(':') + 1).trim();
        }
      }
    } catch (IOException _) {
      // Not Linux.
    }
    return System.getProperty("os.arch");
  }
}
