package ristretto.kernels.ir;

import java.util.Optional;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * One reduction of a {@link Kernel.Row}.
 *
 * @param kind what is computed
 * @param type of the operand; the result has {@link #resultType()}
 * @param output index into the kernel tape's outputs: the value reduced (BOOL for ANY and ALL)
 * @param combine for LAMBDA: a tape of two inputs (slots 0 and 1) and one output, associative
 * @param identity bits of the LAMBDA's identity, as in Node.Const
 */
public record Reduction(
    Kind kind, ScalarType type, int output, Optional<Tape> combine, long identity) {
  /**
   * SUM and PROD of F32 accumulate in F64, or, where a device has none, a SUM in two numbers of
   * F32; of integers they wrap. ROW_SUM is a SUM for the elements of the same row, as in softmax: a
   * device may add up to 256 elements one after the other in F32. MAX and MIN return NaN if any
   * element is NaN. ARGMAX and ARGMIN give the I64 position in the row (row-major over the reduced
   * dimensions) of the first extreme or, if there is one, of the first NaN; ANY of an empty row is
   * false, ALL true, MAX and MIN of an empty row the type's lowest and highest value (infinite for
   * floats).
   */
  public enum Kind {
    SUM,
    PROD,
    MAX,
    MIN,
    ARGMAX,
    ARGMIN,
    ANY,
    ALL,
    LAMBDA,
    ROW_SUM
  }

  public Reduction(Kind kind, ScalarType type, int output) {
    this(kind, type, output, Optional.empty(), 0);
  }

  /** The same in every JVM, which enums' own is not: it is part of kernels' names. */
  @Override
  public int hashCode() {
    int what = (kind.ordinal() * 31 + type.ordinal()) * 31 + output;
    return (what * 31 + combine.hashCode()) * 31 + Long.hashCode(identity);
  }

  public ScalarType resultType() {
    return kind == Kind.ARGMAX || kind == Kind.ARGMIN ? ScalarType.I64 : type;
  }
}
