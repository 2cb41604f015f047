package ristretto.kernels.cpu.strip;

import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.ir.Reduction;

/**
 * Folds of accumulator lanes in scalar code, in the order of vector code: lane i is combined with
 * the lane half the count above until one lane is left.
 */
public final class ScalarLaneFolds {
  private ScalarLaneFolds() {}

  /** Sets lanes to their initial value; the area is a multiple of 64 bytes. */
  public static void clear(long lanes, int bytes, long pattern) {
    for (int k = 0; k < bytes; k += 16) {
      RawMemory.putLong(lanes + k, pattern);
      RawMemory.putLong(lanes + k + 8, pattern);
    }
  }

  public static void sumF32(long lanes, int count, long to, Reduction.Kind kind, boolean wide) {
    double a = four32(lanes, count);
    double b = four32(lanes + 4, count);
    double c = four32(lanes + 8, count);
    double d = four32(lanes + 12, count);
    put((a + c) + (b + d), to, wide);
  }

  /** Adds every fourth of 16 or 32 lanes. */
  private static double four32(long at, int count) {
    double a = RawMemory.getFloat(at);
    double b = RawMemory.getFloat(at + 16);
    double c = RawMemory.getFloat(at + 32);
    double d = RawMemory.getFloat(at + 48);
    if (count == 32) {
      a += RawMemory.getFloat(at + 64);
      b += RawMemory.getFloat(at + 80);
      c += RawMemory.getFloat(at + 96);
      d += RawMemory.getFloat(at + 112);
    }
    return (a + c) + (b + d);
  }

  /** Adds the last {@code count} doubles of a sum, a power of 2 from 2 to 8. */
  public static void sum(long at, int count, long to, boolean wide) {
    double a = RawMemory.getDouble(at);
    double b = RawMemory.getDouble(at + 8);
    if (count == 8) {
      a =
          (a + RawMemory.getDouble(at + 32))
              + (RawMemory.getDouble(at + 16) + RawMemory.getDouble(at + 48));
      b =
          (b + RawMemory.getDouble(at + 40))
              + (RawMemory.getDouble(at + 24) + RawMemory.getDouble(at + 56));
    } else if (count == 4) {
      a += RawMemory.getDouble(at + 16);
      b += RawMemory.getDouble(at + 24);
    }
    put(a + b, to, wide);
  }

  private static void put(double value, long to, boolean wide) {
    if (wide) {
      RawMemory.putDouble(to, value);
    } else {
      RawMemory.putFloat(to, (float) value);
    }
  }

  public static void extreme(float value, long to, boolean wide) {
    if (wide) {
      RawMemory.putDouble(to, value);
    } else {
      RawMemory.putFloat(to, Float.isNaN(value) ? Float.NaN : value);
    }
  }

  public static void sumF64(long lanes, int count, long to, Reduction.Kind kind, boolean wide) {
    double a = four64(lanes);
    double b = four64(lanes + 8);
    double c = four64(lanes + 16);
    double d = four64(lanes + 24);
    put((a + c) + (b + d), to, wide);
  }

  /** Adds every fourth of 16 lanes. */
  private static double four64(long at) {
    return (RawMemory.getDouble(at) + RawMemory.getDouble(at + 64))
        + (RawMemory.getDouble(at + 32) + RawMemory.getDouble(at + 96));
  }

  /** Folds MAX and MIN, whose result does not depend on the order. */
  public static void foldF32(long lanes, int count, long to, Reduction.Kind kind, boolean wide) {
    boolean max = kind == Reduction.Kind.MAX;
    float a = RawMemory.getFloat(lanes);
    float b = RawMemory.getFloat(lanes + 4);
    for (int i = 2; i < count; i += 2) {
      float x = RawMemory.getFloat(lanes + 4L * i);
      float y = RawMemory.getFloat(lanes + 4L * i + 4);
      a = max ? Math.max(a, x) : Math.min(a, x);
      b = max ? Math.max(b, y) : Math.min(b, y);
    }
    extreme(max ? Math.max(a, b) : Math.min(a, b), to, wide);
  }

  public static void foldF64(long lanes, int count, long to, Reduction.Kind kind, boolean wide) {
    double value = RawMemory.getDouble(lanes);
    for (int i = 1; i < count; i++) {
      double x = RawMemory.getDouble(lanes + 8L * i);
      value =
          switch (kind) {
            case PROD -> value * x;
            case MAX -> Math.max(value, x);
            default -> Math.min(value, x);
          };
    }
    put(Double.isNaN(value) ? Double.NaN : value, to, wide);
  }

  public static void foldI32(long lanes, int count, long to, Reduction.Kind kind, boolean wide) {
    long value = RawMemory.getInt(lanes);
    for (int i = 1; i < count; i++) {
      value = combine(kind, value, RawMemory.getInt(lanes + 4L * i));
    }
    if (wide) {
      RawMemory.putLong(to, value);
    } else {
      RawMemory.putInt(to, (int) value);
    }
  }

  public static void foldI64(long lanes, int count, long to, Reduction.Kind kind, boolean wide) {
    long value = RawMemory.getLong(lanes);
    for (int i = 1; i < count; i++) {
      value = combine(kind, value, RawMemory.getLong(lanes + 8L * i));
    }
    RawMemory.putLong(to, value);
  }

  /** Combines two integers or truth values, for any kind that has them. */
  public static long combine(Reduction.Kind kind, long a, long b) {
    return switch (kind) {
      case PROD -> a * b;
      case MAX -> Math.max(a, b);
      case MIN -> Math.min(a, b);
      case ALL -> a & b;
      case ANY -> a | b;
      default -> a + b;
    };
  }
}
