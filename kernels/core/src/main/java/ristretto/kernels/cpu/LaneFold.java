package ristretto.kernels.cpu;

import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.ScalarType;

/**
 * Fold of one accumulator's lanes at the end of a row, made by the strip.
 *
 * @param output output of the tape that is the accumulator's next value; the fold is written to the
 *     pointer of that output
 * @param kind kind of the reduction
 * @param type type of the lanes
 * @param wide true if 8 bytes are written, a state of {@link Fold} or a result of that size; false
 *     for a result of 4 bytes
 */
record LaneFold(int output, Reduction.Kind kind, ScalarType type, boolean wide) {
  /** Returns the name of the method of {@link LaneFolds} for this fold. */
  String method() {
    return (sums() ? "sum" : "fold") + type;
  }

  /** Folds {@code count} lanes in scalar code. */
  void apply(long lanes, int count, long to) {
    switch (type) {
      case F32 -> {
        if (sums()) {
          LaneFolds.sumF32(lanes, count, to, kind, wide);
        } else {
          LaneFolds.foldF32(lanes, count, to, kind, wide);
        }
      }
      case F64 -> {
        if (sums()) {
          LaneFolds.sumF64(lanes, count, to, kind, wide);
        } else {
          LaneFolds.foldF64(lanes, count, to, kind, wide);
        }
      }
      case I64 -> LaneFolds.foldI64(lanes, count, to, kind, wide);
      default -> LaneFolds.foldI32(lanes, count, to, kind, wide);
    }
  }

  /** Returns true for a sum of floats, whose lanes are added in F64. */
  boolean sums() {
    return type.isFloat() && (kind == Reduction.Kind.SUM || kind == Reduction.Kind.ROW_SUM);
  }

  /** Sets {@code count} lanes to their initial value. */
  void clear(long lanes, int count) {
    LaneFolds.clear(lanes, count * type.bytes(), pattern());
  }

  /** Returns the initial value of the lanes as 8 bytes, repeated for lanes of 4 bytes. */
  long pattern() {
    return type.bytes() == 8 ? identity() : (identity() & 0xFFFFFFFFL) * 0x1_0000_0001L;
  }

  /** Returns the bits of the initial value of a lane. */
  long identity() {
    return Fold.identity(kind, type);
  }

  /** Returns true if strips can fold the lanes of {@code fold}. */
  static boolean possible(Fold fold) {
    return switch (fold) {
      case Fold.FloatSum _, Fold.FloatExtreme _, Fold.Whole _ -> true;
      case Fold.Position _, Fold.Lambda _ -> false;
    };
  }
}
