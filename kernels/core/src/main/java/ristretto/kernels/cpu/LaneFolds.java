package ristretto.kernels.cpu;

import ristretto.kernels.ir.Reduction;

/**
 * Lanes of accumulators folded in scalar code. The order is that of vector code: lane i and the one
 * half of the lanes further, until one is left.
 */
final class LaneFolds {
  private LaneFolds() {}

  /** Sets lanes to their start value; the area is a multiple of 64 bytes. */
  static void clear(long lanes, int bytes, long pattern) {
    for (int k = 0; k < bytes; k += 16) {
      Raw.putLong(lanes + k, pattern);
      Raw.putLong(lanes + k + 8, pattern);
    }
  }

  static void sumF32(long lanes, int count, long to, Reduction.Kind kind, boolean state) {
    double a = four32(lanes, count);
    double b = four32(lanes + 4, count);
    double c = four32(lanes + 8, count);
    double d = four32(lanes + 12, count);
    double sum = (a + c) + (b + d);
    if (state) {
      Raw.putDouble(to, sum);
    } else {
      Raw.putFloat(to, (float) sum);
    }
  }

  /** Every fourth of 16 or 32 lanes. */
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

  /** The last of a sum in double: {@code count} doubles, a power of 2 up to 8. */
  static void sum(long at, int count, long to, boolean state) {
    double a = Raw.getDouble(at);
    double b = Raw.getDouble(at + 8);
    if (count == 8) {
      a = (a + Raw.getDouble(at + 32)) + (Raw.getDouble(at + 16) + Raw.getDouble(at + 48));
      b = (b + Raw.getDouble(at + 40)) + (Raw.getDouble(at + 24) + Raw.getDouble(at + 56));
    } else if (count == 4) {
      a += Raw.getDouble(at + 16);
      b += Raw.getDouble(at + 24);
    }
    if (state) {
      Raw.putDouble(to, a + b);
    } else {
      Raw.putFloat(to, (float) (a + b));
    }
  }

  static void extreme(float value, long to, boolean state) {
    if (state) {
      Raw.putDouble(to, value);
    } else {
      Raw.putFloat(to, Float.isNaN(value) ? Float.NaN : value);
    }
  }

  static void sumF64(long lanes, int count, long to, Reduction.Kind kind, boolean state) {
    double a = four64(lanes);
    double b = four64(lanes + 8);
    double c = four64(lanes + 16);
    double d = four64(lanes + 24);
    Raw.putDouble(to, (a + c) + (b + d));
  }

  /** Every fourth of 16 lanes. */
  private static double four64(long at) {
    return (Raw.getDouble(at) + Raw.getDouble(at + 64))
        + (Raw.getDouble(at + 32) + Raw.getDouble(at + 96));
  }

  /** PROD in double; MAX and MIN, which are the same in any order. */
  static void foldF32(long lanes, int count, long to, Reduction.Kind kind, boolean state) {
    double value;
    if (kind == Reduction.Kind.PROD) {
      double a = 1;
      double b = 1;
      for (int i = 0; i < count; i += 2) {
        a *= Raw.getFloat(lanes + 4L * i);
        b *= Raw.getFloat(lanes + 4L * i + 4);
      }
      value = a * b;
    } else {
      boolean max = kind == Reduction.Kind.MAX;
      float a = Raw.getFloat(lanes);
      float b = Raw.getFloat(lanes + 4);
      for (int i = 2; i < count; i += 2) {
        float x = Raw.getFloat(lanes + 4L * i);
        float y = Raw.getFloat(lanes + 4L * i + 4);
        a = max ? Math.max(a, x) : Math.min(a, x);
        b = max ? Math.max(b, y) : Math.min(b, y);
      }
      value = max ? Math.max(a, b) : Math.min(a, b);
    }
    if (state) {
      Raw.putDouble(to, value);
    } else {
      Raw.putFloat(to, Double.isNaN(value) ? Float.NaN : (float) value);
    }
  }

  static void foldF64(long lanes, int count, long to, Reduction.Kind kind, boolean state) {
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
    Raw.putDouble(to, Double.isNaN(value) ? Double.NaN : value);
  }

  static void foldI32(long lanes, int count, long to, Reduction.Kind kind, boolean state) {
    long value = Raw.getInt(lanes);
    for (int i = 1; i < count; i++) {
      value = Fold.combine(kind, value, Raw.getInt(lanes + 4L * i));
    }
    if (state) {
      Raw.putLong(to, value);
    } else {
      Raw.putInt(to, (int) value);
    }
  }

  static void foldI64(long lanes, int count, long to, Reduction.Kind kind, boolean state) {
    long value = Raw.getLong(lanes);
    for (int i = 1; i < count; i++) {
      value = Fold.combine(kind, value, Raw.getLong(lanes + 8L * i));
    }
    Raw.putLong(to, value);
  }
}
