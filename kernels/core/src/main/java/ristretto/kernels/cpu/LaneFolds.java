package ristretto.kernels.cpu;

import ristretto.kernels.ir.Reduction;

/**
 * Folds of accumulator lanes in scalar code, in the order of vector code: lane i is combined with
 * the lane half the count above until one lane is left.
 */
final class LaneFolds {
  private LaneFolds() {}

  /** Sets lanes to their initial value; the area is a multiple of 64 bytes. */
  static void clear(long lanes, int bytes, long pattern) {
    for (int k = 0; k < bytes; k += 16) {
      Raw.putLong(lanes + k, pattern);
      Raw.putLong(lanes + k + 8, pattern);
    }
  }

  static void sumF32(long lanes, int count, long to, Reduction.Kind kind, boolean wide) {
    double a = four32(lanes, count);
    double b = four32(lanes + 4, count);
    double c = four32(lanes + 8, count);
    double d = four32(lanes + 12, count);
    put((a + c) + (b + d), to, wide);
  }

  /** Adds every fourth of 16 or 32 lanes. */
  private static double four32(long at, int count) {
    double a = Raw.getFloat(at);
    double b = Raw.getFloat(at + 16);
    double c = Raw.getFloat(at + 32);
    double d = Raw.getFloat(at + 48);
    if (count == 32) {
      a += Raw.getFloat(at + 64);
      b += Raw.getFloat(at + 80);
      c += Raw.getFloat(at + 96);
      d += Raw.getFloat(at + 112);
    }
    return (a + c) + (b + d);
  }

  /** Adds the last {@code count} doubles of a sum, a power of 2 from 2 to 8. */
  static void sum(long at, int count, long to, boolean wide) {
    double a = Raw.getDouble(at);
    double b = Raw.getDouble(at + 8);
    if (count == 8) {
      a = (a + Raw.getDouble(at + 32)) + (Raw.getDouble(at + 16) + Raw.getDouble(at + 48));
      b = (b + Raw.getDouble(at + 40)) + (Raw.getDouble(at + 24) + Raw.getDouble(at + 56));
    } else if (count == 4) {
      a += Raw.getDouble(at + 16);
      b += Raw.getDouble(at + 24);
    }
    put(a + b, to, wide);
  }

  private static void put(double value, long to, boolean wide) {
    if (wide) {
      Raw.putDouble(to, value);
    } else {
      Raw.putFloat(to, (float) value);
    }
  }

  static void extreme(float value, long to, boolean wide) {
    if (wide) {
      Raw.putDouble(to, value);
    } else {
      Raw.putFloat(to, Float.isNaN(value) ? Float.NaN : value);
    }
  }

  static void sumF64(long lanes, int count, long to, Reduction.Kind kind, boolean wide) {
    double a = four64(lanes);
    double b = four64(lanes + 8);
    double c = four64(lanes + 16);
    double d = four64(lanes + 24);
    put((a + c) + (b + d), to, wide);
  }

  /** Adds every fourth of 16 lanes. */
  private static double four64(long at) {
    return (Raw.getDouble(at) + Raw.getDouble(at + 64))
        + (Raw.getDouble(at + 32) + Raw.getDouble(at + 96));
  }

  /** Folds MAX and MIN, whose result does not depend on the order. */
  static void foldF32(long lanes, int count, long to, Reduction.Kind kind, boolean wide) {
    boolean max = kind == Reduction.Kind.MAX;
    float a = Raw.getFloat(lanes);
    float b = Raw.getFloat(lanes + 4);
    for (int i = 2; i < count; i += 2) {
      float x = Raw.getFloat(lanes + 4L * i);
      float y = Raw.getFloat(lanes + 4L * i + 4);
      a = max ? Math.max(a, x) : Math.min(a, x);
      b = max ? Math.max(b, y) : Math.min(b, y);
    }
    extreme(max ? Math.max(a, b) : Math.min(a, b), to, wide);
  }

  static void foldF64(long lanes, int count, long to, Reduction.Kind kind, boolean wide) {
    double value = Raw.getDouble(lanes);
    for (int i = 1; i < count; i++) {
      double x = Raw.getDouble(lanes + 8L * i);
      value =
          switch (kind) {
            case PROD -> value * x;
            case MAX -> Math.max(value, x);
            default -> Math.min(value, x);
          };
    }
    put(Double.isNaN(value) ? Double.NaN : value, to, wide);
  }

  static void foldI32(long lanes, int count, long to, Reduction.Kind kind, boolean wide) {
    long value = Raw.getInt(lanes);
    for (int i = 1; i < count; i++) {
      value = Fold.combine(kind, value, Raw.getInt(lanes + 4L * i));
    }
    if (wide) {
      Raw.putLong(to, value);
    } else {
      Raw.putInt(to, (int) value);
    }
  }

  static void foldI64(long lanes, int count, long to, Reduction.Kind kind, boolean wide) {
    long value = Raw.getLong(lanes);
    for (int i = 1; i < count; i++) {
      value = Fold.combine(kind, value, Raw.getLong(lanes + 8L * i));
    }
    Raw.putLong(to, value);
  }
}
