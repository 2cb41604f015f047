package ristretto.kernels.cpu;

import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.ScalarType;

/**
 * What a strip does with the lanes of one accumulator at the end of a row.
 *
 * @param output of the tape: the accumulator's next value; where the fold goes is that output's
 *     pointer
 * @param type of the lanes
 * @param state a state of {@link Fold} is written rather than the result
 */
record LaneFold(int output, Reduction.Kind kind, ScalarType type, boolean state) {
  /** Name of the method of {@link LaneFolds} that folds in scalar code. */
  String method() {
    return switch (kind) {
      case SUM -> type.isFloat() ? "sum" + type : "fold" + type;
      default -> "fold" + type;
    };
  }

  /** Folds {@code count} lanes in scalar code. */
  void apply(long lanes, int count, long to) {
    switch (type) {
      case F32 -> {
        if (kind == Reduction.Kind.SUM) {
          LaneFolds.sumF32(lanes, count, to, kind, state);
        } else {
          LaneFolds.foldF32(lanes, count, to, kind, state);
        }
      }
      case F64 -> {
        if (kind == Reduction.Kind.SUM) {
          LaneFolds.sumF64(lanes, count, to, kind, state);
        } else {
          LaneFolds.foldF64(lanes, count, to, kind, state);
        }
      }
      case I64 -> LaneFolds.foldI64(lanes, count, to, kind, state);
      default -> LaneFolds.foldI32(lanes, count, to, kind, state);
    }
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
