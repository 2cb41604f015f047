package ristretto.symbolic.data;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import ristretto.kernels.DeviceException;

/** Growing arrays of values read from a file, whose number is unknown until the end. */
final class GrowableArrays {
  private static final int MOST = Integer.MAX_VALUE - 8;

  private final String format;
  private final Path file;
  private float[] floats = {};
  private int[] ints = {};
  private int floatCount;
  private int intCount;

  GrowableArrays(String format, Path file) {
    this.format = format;
    this.file = file;
  }

  void add(float value) {
    if (floatCount == floats.length) {
      try {
        floats = Arrays.copyOf(floats, larger(floatCount));
      } catch (OutOfMemoryError e) {
        throw full(floatCount, e);
      }
    }
    floats[floatCount++] = value;
  }

  void add(int value) {
    if (intCount == ints.length) {
      try {
        ints = Arrays.copyOf(ints, larger(intCount));
      } catch (OutOfMemoryError e) {
        throw full(intCount, e);
      }
    }
    ints[intCount++] = value;
  }

  float[] floats() {
    return Arrays.copyOf(floats, floatCount);
  }

  int[] ints() {
    return Arrays.copyOf(ints, intCount);
  }

  private int larger(int count) {
    if (count == MOST) {
      throw full(count, null);
    }
    return (int) Math.min(MOST, Math.max(16L, count * 3L / 2));
  }

  private DeviceException full(int count, Throwable cause) {
    return new DeviceException(
        String.format(
            Locale.ROOT,
            "[%s] the values of a file must fit in memory, and below 2^31; got more than %d in %s;"
                + " give the JVM more memory with -Xmx, or split the file.",
            format,
            count,
            file),
        cause);
  }
}
