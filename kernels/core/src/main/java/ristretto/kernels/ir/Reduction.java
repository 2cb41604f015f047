package ristretto.kernels.ir;

import java.util.Optional;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * One reduction of a {@link Kernel.Row}.
 *
 * @param kind the reduction operator
 * @param type type of the operand; the result has {@link #resultType()}
 * @param output index of the reduced value among the tape's outputs (BOOL for ANY and ALL)
 * @param combine for LAMBDA: a tape of two inputs (slots 0 and 1) and one output, associative
 * @param identity bits of the LAMBDA's identity, encoded as in {@code Node.Const}
 */
public record Reduction(
    Kind kind, ScalarType type, int output, Optional<Tape> combine, long identity) {
  /**
   * Reduction operator. SUM and PROD of F32 accumulate in F64, or, on a device without F64, a SUM
   * in two F32 numbers; integer sums and products wrap. ROW_SUM is a SUM whose result is used by
   * elements of the same row, as in softmax: a device may add up to 256 consecutive elements in
   * F32. MAX and MIN return NaN if any element is NaN. ARGMAX and ARGMIN return the I64 position in
   * the row (row-major over the reduced dimensions) of the first NaN if there is one, otherwise of
   * the first extreme. For an empty row ANY is false, ALL is true, and MAX and MIN are the type's
   * lowest and highest value (infinite for floats).
   */
  public enum Kind {
    SUM(Op.ADD),
    PROD(Op.MUL),
    MAX(Op.MAX),
    MIN(Op.MIN),
    ARGMAX(Op.MAX),
    ARGMIN(Op.MIN),
    ANY(Op.OR),
    ALL(Op.AND),
    LAMBDA(null),
    ROW_SUM(Op.ADD);

    private final Op op;

    Kind(Op op) {
      this.op = op;
    }

    /**
     * Operation that combines two elements; for ARGMAX and ARGMIN, the one that gives the extreme.
     * Null for LAMBDA.
     */
    public Op op() {
      return op;
    }
  }

  public Reduction(Kind kind, ScalarType type, int output) {
    this(kind, type, output, Optional.empty(), 0);
  }

  /**
   * Returns a hash that is equal in every JVM, because kernel names contain it; the identity hash
   * of enum constants is not.
   */
  @Override
  public int hashCode() {
    int what = (kind.ordinal() * 31 + type.ordinal()) * 31 + output;
    return (what * 31 + combine.hashCode()) * 31 + Long.hashCode(identity);
  }

  public ScalarType resultType() {
    return kind == Kind.ARGMAX || kind == Kind.ARGMIN ? ScalarType.I64 : type;
  }
}
