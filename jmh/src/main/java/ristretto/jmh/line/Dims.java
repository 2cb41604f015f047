package ristretto.jmh.line;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Size of a line: {@code [n]} for flat lines, {@code [rows, cols]} for lines over rows, {@code [m,
 * n, k]} for products.
 */
public final class Dims {
  private final long[] values;

  private Dims(long... values) {
    this.values = values;
  }

  public static Dims of(long... values) {
    return new Dims(values.clone());
  }

  /** Parses the output of {@link #toString}: extents separated by x. */
  public static Dims parse(String text) {
    return new Dims(Arrays.stream(text.split("x")).mapToLong(Long::parseLong).toArray());
  }

  public long get(int k) {
    return values[k];
  }

  public int rank() {
    return values.length;
  }

  public long product() {
    return Arrays.stream(values).reduce(1, (a, b) -> a * b);
  }

  /** Formats the size for users: 1e6 for a flat million, 4096x1024 for a matrix. */
  public String label() {
    if (values.length > 1) {
      return toString();
    }
    int exponent = (int) Math.round(Math.floor(Math.log10(values[0])));
    double head = values[0] / Math.pow(10, exponent);
    return head == Math.rint(head)
        ? String.format(Locale.ROOT, "%.0fe%d", head, exponent)
        : Long.toString(values[0]);
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof Dims d && Arrays.equals(values, d.values);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(values);
  }

  @Override
  public String toString() {
    return Arrays.stream(values).mapToObj(Long::toString).collect(Collectors.joining("x"));
  }
}
