package ristretto.kernels.cpu.rows;

import ristretto.kernels.cpu.launch.LaunchServices;
import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.moves.Pack;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.cpu.strip.LaneFold;
import ristretto.kernels.cpu.strip.ScalarLaneFolds;
import ristretto.kernels.cpu.strip.Strip;
import ristretto.kernels.cpu.strip.StripKey;
import ristretto.kernels.cpu.strip.StripSpec;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.ScalarType;

/**
 * Part of one reduction outside of strips: folds accumulator lanes into a state of 16 bytes, merges
 * states in order, and rounds a state to the result. A state holds a value of 8 bytes and, for
 * ARGMAX and ARGMIN, a position.
 */
public abstract sealed class Fold {
  static final int STATE_BYTES = 16;

  final Reduction reduction;

  /** Type of the accumulator lanes. */
  final ScalarType type;

  Fold(Reduction reduction) {
    this.reduction = reduction;
    this.type = accumulated(reduction);
  }

  /** Type of the accumulators of a reduction: F64 for exact sums and products of floats. */
  public static ScalarType accumulated(Reduction r) {
    return switch (r.kind()) {
      case SUM, PROD -> r.type().isFloat() ? ScalarType.F64 : Pack.packed(r.type());
      default -> Pack.packed(r.type());
    };
  }

  static Fold of(Reduction r, boolean wide, LaunchServices services, String name) {
    return switch (r.kind()) {
      case SUM, ROW_SUM, PROD -> r.type().isFloat() ? new FloatSum(r) : new Whole(r);
      case MAX, MIN -> r.type().isFloat() ? new FloatExtreme(r) : new Whole(r);
      case ANY, ALL -> new Whole(r);
      case ARGMAX, ARGMIN -> new Position(r, wide);
      case LAMBDA -> new Lambda(r, services, name);
    };
  }

  /** Type of the result in memory. */
  ScalarType resultType() {
    return Pack.packed(reduction.resultType());
  }

  /** Returns the bits of the accumulators' initial value. */
  long identity() {
    return LaneFold.identity(reduction.kind(), type);
  }

  /** Bits of the initial value of a position accumulator. */
  static final long NO_POSITION = -1;

  /** Returns true if strips can fold the lanes themselves. */
  final boolean foldsInStrips() {
    return switch (this) {
      case FloatSum _, FloatExtreme _, Whole _ -> true;
      case Position _, Lambda _ -> false;
    };
  }

  void begin(long state) {
    RawMemory.putLong(state, identity());
    RawMemory.putLong(state + 8, NO_POSITION);
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
      RawMemory.putDouble(state, product ? 1 : 0);
    }

    @Override
    void lanes(long from, long positions, int lanes, long state) {
      double folded = RawMemory.getDouble(state);
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
      RawMemory.putDouble(state, folded);
    }

    private double lane(long from, int i) {
      return type == ScalarType.F32
          ? RawMemory.getFloat(from + 4L * i)
          : RawMemory.getDouble(from + 8L * i);
    }

    @Override
    void results(long lanes, int count, long results) {
      if (!inPlace()) {
        for (int i = 0; i < count; i++) {
          RawMemory.putFloat(results + 4L * i, (float) RawMemory.getDouble(lanes + 8L * i));
        }
      }
    }

    @Override
    void merge(long from, long into) {
      double a = RawMemory.getDouble(into);
      double b = RawMemory.getDouble(from);
      RawMemory.putDouble(into, product ? a * b : a + b);
    }

    @Override
    void finish(long state, long result) {
      if (resultType() == ScalarType.F32) {
        RawMemory.putFloat(result, (float) RawMemory.getDouble(state));
      } else {
        RawMemory.putDouble(result, RawMemory.getDouble(state));
      }
    }
  }

  /** Fold of integers and truth values, in long. */
  static final class Whole extends Fold {
    Whole(Reduction r) {
      super(r);
    }

    private long combine(long a, long b) {
      return ScalarLaneFolds.combine(reduction.kind(), a, b);
    }

    @Override
    void lanes(long from, long positions, int lanes, long state) {
      long v = RawMemory.getLong(state);
      for (int i = 0; i < lanes; i++) {
        v =
            combine(
                v,
                type == ScalarType.I32
                    ? RawMemory.getInt(from + 4L * i)
                    : RawMemory.getLong(from + 8L * i));
      }
      RawMemory.putLong(state, v);
    }

    @Override
    void merge(long from, long into) {
      RawMemory.putLong(into, combine(RawMemory.getLong(into), RawMemory.getLong(from)));
    }

    @Override
    void finish(long state, long result) {
      if (type == ScalarType.I32) {
        RawMemory.putInt(result, (int) RawMemory.getLong(state));
      } else {
        RawMemory.putLong(result, RawMemory.getLong(state));
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
      RawMemory.putDouble(state, start());
    }

    @Override
    void lanes(long from, long positions, int lanes, long state) {
      double v = RawMemory.getDouble(state);
      if (type == ScalarType.F32) {
        float f = RawMemory.getFloat(from);
        float g = f;
        for (int i = 1; i < lanes; i += 2) {
          float x = RawMemory.getFloat(from + 4L * i);
          float y = i + 1 < lanes ? RawMemory.getFloat(from + 4L * i + 4) : x;
          f = max ? Math.max(f, x) : Math.min(f, x);
          g = max ? Math.max(g, y) : Math.min(g, y);
        }
        double folded = max ? Math.max(f, g) : Math.min(f, g);
        v = max ? Math.max(v, folded) : Math.min(v, folded);
      } else {
        for (int i = 0; i < lanes; i++) {
          double x = RawMemory.getDouble(from + 8L * i);
          v = max ? Math.max(v, x) : Math.min(v, x);
        }
      }
      RawMemory.putDouble(state, v);
    }

    /** Replaces any NaN by the canonical one. */
    @Override
    void results(long lanes, int count, long results) {
      for (int i = 0; i < count; i++) {
        if (type == ScalarType.F32 && Float.isNaN(RawMemory.getFloat(lanes + 4L * i))) {
          RawMemory.putFloat(lanes + 4L * i, Float.NaN);
        } else if (type == ScalarType.F64 && Double.isNaN(RawMemory.getDouble(lanes + 8L * i))) {
          RawMemory.putDouble(lanes + 8L * i, Double.NaN);
        }
      }
    }

    @Override
    void merge(long from, long into) {
      double a = RawMemory.getDouble(into);
      double b = RawMemory.getDouble(from);
      RawMemory.putDouble(into, max ? Math.max(a, b) : Math.min(a, b));
    }

    @Override
    void finish(long state, long result) {
      double v = RawMemory.getDouble(state);
      if (type == ScalarType.F32) {
        RawMemory.putFloat(result, Double.isNaN(v) ? Float.NaN : (float) v);
      } else {
        RawMemory.putDouble(result, Double.isNaN(v) ? Double.NaN : v);
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
      RawMemory.putLong(state, bits(identity()));
      RawMemory.putLong(state + 8, NO_POSITION);
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
        long position =
            wide ? RawMemory.getLong(positions + 8L * i) : RawMemory.getInt(positions + 4L * i);
        long value =
            type.bytes() == 4 ? RawMemory.getInt(from + 4L * i) : RawMemory.getLong(from + 8L * i);
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
      long have = RawMemory.getLong(state);
      long at = RawMemory.getLong(state + 8);
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
        RawMemory.putLong(state, value);
        RawMemory.putLong(state + 8, position);
      }
    }

    @Override
    void merge(long from, long into) {
      take(RawMemory.getLong(from), RawMemory.getLong(from + 8), into);
    }

    @Override
    void finish(long state, long result) {
      RawMemory.putLong(result, Math.max(0, RawMemory.getLong(state + 8)));
    }
  }

  /** Fold of a user's operation, one lane after the other, by a strip of one element. */
  static final class Lambda extends Fold {
    private final Strip combine;

    Lambda(Reduction r, LaunchServices services, String name) {
      super(r);
      var scalar = StripSpec.Access.SCALAR;
      var key =
          new StripKey(
              r.combine().orElseThrow(),
              java.util.List.of(scalar, scalar),
              java.util.List.of(StripSpec.STORE),
              java.util.List.of());
      combine = services.strip(key, name).strip();
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
        RawMemory.putInt(result, RawMemory.getInt(state));
      } else {
        RawMemory.putLong(result, RawMemory.getLong(state));
      }
    }
  }
}
