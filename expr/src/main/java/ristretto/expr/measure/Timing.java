package ristretto.expr.measure;

import java.util.Locale;
import ristretto.kernels.ShapeException;

/**
 * Times of repeated runs of a computation, in seconds per run.
 *
 * @param name name that the printed line begins with
 * @param runs number of measured runs
 * @param median median of the times
 * @param lower first quartile
 * @param upper third quartile
 * @param bytes bytes that a run reads and writes; 0 if unknown
 */
public record Timing(
    String name, long runs, double median, double lower, double upper, long bytes) {
  /**
   * Validates the number of bytes.
   *
   * @throws ShapeException if the number of bytes is negative
   */
  public Timing {
    requireBytes(bytes);
  }

  static void requireBytes(long bytes) {
    if (bytes < 0) {
      throw new ShapeException(
          "[bench] the number of bytes must not be negative; got " + bytes + ".");
    }
  }

  /** Returns the interquartile range of the times, in seconds. */
  public double spread() {
    return upper - lower;
  }

  /** Returns the gigabytes (1e9 bytes) per second of the median; NaN if the bytes are unknown. */
  public double gigabytesPerSecond() {
    return bytes == 0 ? Double.NaN : bytes / 1e9 / median;
  }

  /** Returns text like {@code softmax: 1.23 ms (1.20 to 1.31 ms, 420 runs), 12.3 GB/s}. */
  @Override
  public String toString() {
    double unit = 1;
    String symbol = "s";
    if (median < 1e-6) {
      unit = 1e-9;
      symbol = "ns";
    } else if (median < 1e-3) {
      unit = 1e-6;
      symbol = "us";
    } else if (median < 1) {
      unit = 1e-3;
      symbol = "ms";
    }
    String rate = bytes == 0 ? "" : String.format(Locale.ROOT, ", %.3g GB/s", gigabytesPerSecond());
    return String.format(
        Locale.ROOT,
        "%s: %s %s (%s to %s %s, %d runs)%s",
        name,
        digits(median / unit),
        symbol,
        digits(lower / unit),
        digits(upper / unit),
        symbol,
        runs,
        rate);
  }

  /** Text with three significant digits, without an exponent. */
  private static String digits(double v) {
    return String.format(Locale.ROOT, v < 10 ? "%.2f" : v < 100 ? "%.1f" : "%.0f", v);
  }
}
