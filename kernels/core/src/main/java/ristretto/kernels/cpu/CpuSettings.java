package ristretto.kernels.cpu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import ristretto.kernels.DeviceException;
import ristretto.kernels.device.MemoryLimit;

/**
 * Settings of a cpu device.
 *
 * @param threads number of threads that run a kernel, including its caller
 * @param memoryLimit limit of the memory of all buffers
 */
record CpuSettings(int threads, MemoryLimit memoryLimit) {
  /**
   * Reads the settings from {@code ristretto.cpu.threads} or RISTRETTO_THREADS, and {@code
   * ristretto.cpu.memory-limit}.
   */
  static CpuSettings fromSystem() {
    String threads =
        System.getProperty("ristretto.cpu.threads", System.getenv("RISTRETTO_THREADS"));
    return new CpuSettings(
        threads == null || threads.isBlank()
            ? Runtime.getRuntime().availableProcessors()
            : threads(threads.trim()),
        MemoryLimit.fromSystem("cpu"));
  }

  static int threads(String text) {
    try {
      int n = Integer.parseInt(text);
      if (n >= 1 && n <= 1024) {
        return n;
      }
    } catch (NumberFormatException _) {
      // Reported below.
    }
    throw new DeviceException(
        "[cpu] the number of threads must be from 1 to 1024; got \""
            + text
            + "\"; correct RISTRETTO_THREADS or -Dristretto.cpu.threads");
  }

  /** Name of the processor on Linux; elsewhere the architecture. */
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
