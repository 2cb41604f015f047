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
