package ristretto.kernels.cpu.strip;

import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.ScalarType;

/**
 * Fold of one accumulator's lanes at the end of a row, made by the strip.
 *
 * @param output output of the tape that is the accumulator's next value; the fold is written to the
 *     pointer of that output
 * @param kind kind of the reduction
 * @param type type of the lanes
 * @param wide true if 8 bytes are written, a state of a reduction or a result of that size; false
 *     for a result of 4 bytes
 */
public record LaneFold(int output, Reduction.Kind kind, ScalarType type, boolean wide) {
  /** Returns the name of the method of {@link ScalarLaneFolds} for this fold. */
  public String method() {
    return (sums() ? "sum" : "fold") + type;
  }

  /** Folds {@code count} lanes in scalar code. */
  public void apply(long lanes, int count, long to) {
    switch (type) {
      case F32 -> {
        if (sums()) {
          ScalarLaneFolds.sumF32(lanes, count, to, kind, wide);
        } else {
          ScalarLaneFolds.foldF32(lanes, count, to, kind, wide);
        }
      }
      case F64 -> {
        if (sums()) {
          ScalarLaneFolds.sumF64(lanes, count, to, kind, wide);
        } else {
          ScalarLaneFolds.foldF64(lanes, count, to, kind, wide);
        }
      }
      case I64 -> ScalarLaneFolds.foldI64(lanes, count, to, kind, wide);
      default -> ScalarLaneFolds.foldI32(lanes, count, to, kind, wide);
    }
  }

  /** Returns true for a sum of floats, whose lanes are added in F64. */
  public boolean sums() {
    return type.isFloat() && (kind == Reduction.Kind.SUM || kind == Reduction.Kind.ROW_SUM);
  }

  /** Sets {@code count} lanes to their initial value. */
  public void clear(long lanes, int count) {
    ScalarLaneFolds.clear(lanes, count * type.bytes(), pattern());
  }

  /** Returns the initial value of the lanes as 8 bytes, repeated for lanes of 4 bytes. */
  public long pattern() {
    return type.bytes() == 8 ? identity() : (identity() & 0xFFFFFFFFL) * 0x1_0000_0001L;
  }

  /** Returns the bits of the initial value of a lane. */
  public long identity() {
    return identity(kind, type);
  }

  /**
   * Returns the bits of the initial value of accumulators, for every kind but LAMBDA. Truth values
   * accumulate as integers.
   */
  public static long identity(Reduction.Kind kind, ScalarType type) {
    boolean logical = kind == Reduction.Kind.ANY || kind == Reduction.Kind.ALL;
    return kind.op().identity(logical ? ScalarType.BOOL : type);
  }
}
