package ristretto.kernels.cpu;

import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.ScalarType;

/**
 * The fold of one accumulator's lanes at the end of a row, done by the strip.
 *
 * @param output of the tape: the accumulator's next value; the fold is written to that output's
 *     pointer
 * @param type of the lanes
 * @param wide 8 bytes are written, a state of {@link Fold} or a result of that size, rather than a
 *     result of 4 bytes
 */
record LaneFold(int output, Reduction.Kind kind, ScalarType type, boolean wide) {
  /** Name of the method of {@link LaneFolds} that folds in scalar code. */
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

  /** A sum of floats: lanes are added in F64. */
  boolean sums() {
    return type.isFloat() && (kind == Reduction.Kind.SUM || kind == Reduction.Kind.ROW_SUM);
  }

  /** Sets {@code count} lanes to the value they start with. */
  void clear(long lanes, int count) {
    LaneFolds.clear(lanes, count * type.bytes(), pattern());
  }

  /** Eight bytes of lanes with their start value. */
  long pattern() {
    return type.bytes() == 8 ? identity() : (identity() & 0xFFFFFFFFL) * 0x1_0000_0001L;
  }

  /** Bits of the value that lanes start with. */
  long identity() {
    return Fold.identity(kind, type);
  }

  /** Whether strips can fold the lanes of {@code fold}. */
  static boolean possible(Fold fold) {
    return switch (fold) {
      case Fold.FloatSum _, Fold.FloatExtreme _, Fold.Whole _ -> true;
      case Fold.Position _, Fold.Lambda _ -> false;
    };
  }
}
