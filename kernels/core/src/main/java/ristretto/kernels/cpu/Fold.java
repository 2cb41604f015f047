package ristretto.kernels.cpu;

import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.ScalarType;

/**
 * Part of one reduction outside of strips: folds accumulator lanes into a state of 16 bytes, merges
 * states in order, and rounds a state to the result. A state holds a value of 8 bytes and, for
 * ARGMAX and ARGMIN, a position.
 */
abstract sealed class Fold {
  static final int STATE_BYTES = 16;

  final Reduction reduction;

  /** Type of the accumulator lanes. */
  final ScalarType type;

  Fold(Reduction reduction) {
    this.reduction = reduction;
    this.type = accumulated(reduction);
  }

  /** Type of the accumulators of a reduction: F64 for exact sums and products of floats. */
  static ScalarType accumulated(Reduction r) {
    return switch (r.kind()) {
      case SUM, PROD -> r.type().isFloat() ? ScalarType.F64 : Pack.packed(r.type());
      default -> Pack.packed(r.type());
    };
  }

  static Fold of(Reduction r, boolean wide, CpuDevice device, String name) {
    return switch (r.kind()) {
      case SUM, ROW_SUM, PROD -> r.type().isFloat() ? new FloatSum(r) : new Whole(r);
      case MAX, MIN -> r.type().isFloat() ? new FloatExtreme(r) : new Whole(r);
      case ANY, ALL -> new Whole(r);
      case ARGMAX, ARGMIN -> new Position(r, wide);
      case LAMBDA -> new Lambda(r, device, name);
    };
  }

  /** Type of the result in memory. */
  ScalarType resultType() {
    return Pack.packed(reduction.resultType());
  }

  /** Returns the bits of the accumulators' initial value. */
  long identity() {
    return identity(reduction.kind(), type);
  }

  /** Returns the bits of the initial value of accumulators, for every kind but LAMBDA. */
  static long identity(Reduction.Kind kind, ScalarType type) {
    return switch (kind) {
      case SUM, ROW_SUM, ANY -> 0;
      case PROD -> bits(type, 1, 1);
      case ALL -> 1;
      case MAX, ARGMAX ->
          bits(
              type,
              Double.NEGATIVE_INFINITY,
              type == ScalarType.I32 ? Integer.MIN_VALUE : Long.MIN_VALUE);
      case MIN, ARGMIN ->
          bits(
              type,
              Double.POSITIVE_INFINITY,
              type == ScalarType.I32 ? Integer.MAX_VALUE : Long.MAX_VALUE);
      case LAMBDA -> throw new IllegalArgumentException("a lambda brings its identity");
    };
  }

  private static long bits(ScalarType type, double real, long whole) {
    return switch (type) {
      case F32 -> Float.floatToRawIntBits((float) real) & 0xFFFFFFFFL;
      case F64 -> Double.doubleToRawLongBits(real);
      default -> whole;
    };
  }

  /** Combines two integers or truth values, for any kind that has them. */
  static long combine(Reduction.Kind kind, long a, long b) {
    return switch (kind) {
      case PROD -> a * b;
      case MAX -> Math.max(a, b);
      case MIN -> Math.min(a, b);
      case ALL -> a & b;
      case ANY -> a | b;
      default -> a + b;
    };
  }

  /** Bits of the initial value of a position accumulator. */
  static final long NO_POSITION = -1;

  void begin(long state) {
    Raw.putLong(state, identity());
    Raw.putLong(state + 8, NO_POSITION);
  }

  /**
   * Folds {@code lanes} accumulators at {@code from} (positions at {@code positions}) into the
   * state.
   */
  abstract void lanes(long from, long positions, int lanes, long state);

  /**
   * Merges the state at {@code from} into the state at {@code into}; elements of {@code from} come
   * later in the row.
   */
  abstract void merge(long from, long into);

  abstract void finish(long state, long result);

  /** Returns true if accumulators have the type of results. */
  boolean inPlace() {
    return type == resultType();
  }

  /**
   * Converts {@code count} accumulators of one lane each to results, which share the address if
   * {@link #inPlace}.
   */
  void results(long lanes, int count, long results) {}

  /** Fold of SUM and PROD of floats, in double. */
  static final class FloatSum extends Fold {
    private final boolean product;

    FloatSum(Reduction r) {
      super(r);
      product = r.kind() == Reduction.Kind.PROD;
    }

    @Override
    void begin(long state) {
      Raw.putDouble(state, product ? 1 : 0);
    }

    @Override
    void lanes(long from, long positions, int lanes, long state) {
      double folded = Raw.getDouble(state);
      if (product) {
        double p = 1;
        for (int i = 0; i < lanes; i++) {
          p *= lane(from, i);
        }
        folded *= p;
      } else {
        double a = 0;
        for (int i = 0; i < lanes; i++) {
          a += lane(from, i);
        }
        folded += a;
      }
      Raw.putDouble(state, folded);
    }

    private double lane(long from, int i) {
      return type == ScalarType.F32 ? Raw.getFloat(from + 4L * i) : Raw.getDouble(from + 8L * i);
    }

    @Override
    void results(long lanes, int count, long results) {
      if (!inPlace()) {
        for (int i = 0; i < count; i++) {
          Raw.putFloat(results + 4L * i, (float) Raw.getDouble(lanes + 8L * i));
        }
      }
    }

    @Override
    void merge(long from, long into) {
      double a = Raw.getDouble(into);
      double b = Raw.getDouble(from);
      Raw.putDouble(into, product ? a * b : a + b);
    }

    @Override
    void finish(long state, long result) {
      if (resultType() == ScalarType.F32) {
        Raw.putFloat(result, (float) Raw.getDouble(state));
      } else {
        Raw.putDouble(result, Raw.getDouble(state));
      }
    }
  }

  /** Fold of integers and truth values, in long. */
  static final class Whole extends Fold {
    Whole(Reduction r) {
      super(r);
    }

    private long combine(long a, long b) {
      return combine(reduction.kind(), a, b);
    }

    @Override
    void lanes(long from, long positions, int lanes, long state) {
      long v = Raw.getLong(state);
      for (int i = 0; i < lanes; i++) {
        v =
            combine(
                v, type == ScalarType.I32 ? Raw.getInt(from + 4L * i) : Raw.getLong(from + 8L * i));
      }
      Raw.putLong(state, v);
    }

    @Override
    void merge(long from, long into) {
      Raw.putLong(into, combine(Raw.getLong(into), Raw.getLong(from)));
    }

    @Override
    void finish(long state, long result) {
      if (type == ScalarType.I32) {
        Raw.putInt(result, (int) Raw.getLong(state));
      } else {
        Raw.putLong(result, Raw.getLong(state));
      }
    }
  }

  /**
   * Fold of MAX and MIN of floats: NaN wins, -0 is below +0. The state is a double, which
   * represents every float.
   */
  static final class FloatExtreme extends Fold {
    private final boolean max;

    FloatExtreme(Reduction r) {
      super(r);
      max = r.kind() == Reduction.Kind.MAX;
    }

    private double start() {
      return max ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
    }

    @Override
    void begin(long state) {
      Raw.putDouble(state, start());
    }

    @Override
    void lanes(long from, long positions, int lanes, long state) {
      double v = Raw.getDouble(state);
      if (type == ScalarType.F32) {
        float f = Raw.getFloat(from);
        float g = f;
        for (int i = 1; i < lanes; i += 2) {
          float x = Raw.getFloat(from + 4L * i);
          float y = i + 1 < lanes ? Raw.getFloat(from + 4L * i + 4) : x;
          f = max ? Math.max(f, x) : Math.min(f, x);
          g = max ? Math.max(g, y) : Math.min(g, y);
        }
        double folded = max ? Math.max(f, g) : Math.min(f, g);
        v = max ? Math.max(v, folded) : Math.min(v, folded);
      } else {
        for (int i = 0; i < lanes; i++) {
          double x = Raw.getDouble(from + 8L * i);
          v = max ? Math.max(v, x) : Math.min(v, x);
        }
      }
      Raw.putDouble(state, v);
    }

    /** Replaces any NaN by the canonical one. */
    @Override
    void results(long lanes, int count, long results) {
      for (int i = 0; i < count; i++) {
        if (type == ScalarType.F32 && Float.isNaN(Raw.getFloat(lanes + 4L * i))) {
          Raw.putFloat(lanes + 4L * i, Float.NaN);
        } else if (type == ScalarType.F64 && Double.isNaN(Raw.getDouble(lanes + 8L * i))) {
          Raw.putDouble(lanes + 8L * i, Double.NaN);
        }
      }
    }

    @Override
    void merge(long from, long into) {
      double a = Raw.getDouble(into);
      double b = Raw.getDouble(from);
      Raw.putDouble(into, max ? Math.max(a, b) : Math.min(a, b));
    }

    @Override
    void finish(long state, long result) {
      double v = Raw.getDouble(state);
      if (type == ScalarType.F32) {
        Raw.putFloat(result, Double.isNaN(v) ? Float.NaN : (float) v);
      } else {
        Raw.putDouble(result, Double.isNaN(v) ? Double.NaN : v);
      }
    }
  }

  /** Fold of ARGMAX and ARGMIN: position of the first extreme or of the first NaN. */
  static final class Position extends Fold {
    private final boolean wide;
    private final boolean max;

    Position(Reduction r, boolean wide) {
      super(r);
      this.wide = wide;
      this.max = r.kind() == Reduction.Kind.ARGMAX;
    }

    @Override
    void begin(long state) {
      Raw.putLong(state, bits(identity()));
      Raw.putLong(state + 8, NO_POSITION);
    }

    /** Returns the bits of a state's value, which is a double for floats. */
    private long bits(long laneBits) {
      return type == ScalarType.F32
          ? Double.doubleToRawLongBits(Float.intBitsToFloat((int) laneBits))
          : laneBits;
    }

    @Override
    void lanes(long from, long positions, int lanes, long state) {
      for (int i = 0; i < lanes; i++) {
        long position = wide ? Raw.getLong(positions + 8L * i) : Raw.getInt(positions + 4L * i);
        long value = type.bytes() == 4 ? Raw.getInt(from + 4L * i) : Raw.getLong(from + 8L * i);
        take(bits(value), position, state);
      }
    }

    /**
     * Merges a lane into a state. A lane without a position has seen only the initial value, or no
     * element.
     */
    private void take(long value, long position, long state) {
      if (position < 0) {
        return;
      }
      long have = Raw.getLong(state);
      long at = Raw.getLong(state + 8);
      boolean better;
      if (at < 0) {
        better = true;
      } else if (type.isFloat()) {
        double v = Double.longBitsToDouble(value);
        double h = Double.longBitsToDouble(have);
        boolean same = v == h || Double.isNaN(v) && Double.isNaN(h);
        better =
            same ? position < at : !Double.isNaN(h) && (Double.isNaN(v) || (max ? v > h : v < h));
      } else {
        better = value == have ? position < at : max ? value > have : value < have;
      }
      if (better) {
        Raw.putLong(state, value);
        Raw.putLong(state + 8, position);
      }
    }

    @Override
    void merge(long from, long into) {
      take(Raw.getLong(from), Raw.getLong(from + 8), into);
    }

    @Override
    void finish(long state, long result) {
      Raw.putLong(result, Math.max(0, Raw.getLong(state + 8)));
    }
  }

  /** Fold of a user's operation, one lane after the other, by a strip of one element. */
  static final class Lambda extends Fold {
    private final Strip combine;

    Lambda(Reduction r, CpuDevice device, String name) {
      super(r);
      var scalar = StripSpec.Access.SCALAR;
      var key =
          new StripKey(
              r.combine().orElseThrow(),
              java.util.List.of(scalar, scalar),
              java.util.List.of(StripSpec.STORE),
              java.util.List.of());
      combine = device.strip(key, name).strip();
    }

    @Override
    long identity() {
      return reduction.identity();
    }

    @Override
    void lanes(long from, long positions, int lanes, long state) {
      for (int i = 0; i < lanes; i++) {
        combine(from + (long) i * type.bytes(), state);
      }
    }

    @Override
    void merge(long from, long into) {
      combine(from, into);
    }

    private void combine(long right, long state) {
      ThreadContext context = ThreadContext.current();
      long[] pointers = context.pairPointers;
      pointers[0] = state;
      pointers[1] = right;
      pointers[2] = state;
      combine.run(pointers, context.pairStrides, 1, 1, context.pairScratch(combine.scratchBytes()));
    }

    @Override
    void finish(long state, long result) {
      if (type.bytes() == 4) {
        Raw.putInt(result, Raw.getInt(state));
      } else {
        Raw.putLong(result, Raw.getLong(state));
      }
    }
  }
}
