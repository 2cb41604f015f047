package ristretto.kernels.device;

import static ristretto.kernels.scalar.ScalarType.BOOL;
import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.F64;
import static ristretto.kernels.scalar.ScalarType.I32;
import static ristretto.kernels.scalar.ScalarType.I64;

import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.SpecialValues;
import ristretto.kernels.scalar.TapeBuilder;

/** Grows a tape by operations that are defined to the bit. */
public final class RandomBody {
  private static final List<ScalarType> TYPES = List.of(F32, F64, I32, I64, BOOL);

  /** Not BITCAST and COPYSIGN: they would show the sign of a NaN, which IEEE leaves open. */
  private static final List<Op> EXACT =
      List.of(
          Op.ADD,
          Op.SUB,
          Op.MUL,
          Op.DIV,
          Op.REM,
          Op.MIN,
          Op.MAX,
          Op.NEG,
          Op.ABS,
          Op.SIGN,
          Op.SQRT,
          Op.FLOOR,
          Op.CEIL,
          Op.TRUNC,
          Op.RINT,
          Op.BITNOT,
          Op.NOT,
          Op.AND,
          Op.OR,
          Op.XOR,
          Op.SHL,
          Op.SHR,
          Op.USHR,
          Op.MULHI,
          Op.LT,
          Op.LE,
          Op.GT,
          Op.GE,
          Op.EQ,
          Op.NE,
          Op.FMA,
          Op.SELECT,
          Op.CONVERT,
          Op.CONVERT,
          Op.SELECT);

  private final TapeBuilder tape;
  private final Choices choices;
  private final List<Integer> rows = new ArrayList<>();

  public RandomBody(TapeBuilder tape, Choices choices) {
    this.tape = tape;
    this.choices = choices;
  }

  public void add(int row) {
    rows.add(row);
  }

  /** One of the rows so far, rather a late one. */
  public int pick() {
    return choices.oneIn(3) ? choices.of(rows) : rows.getLast();
  }

  public void grow() {
    Op op = choices.of(EXACT);
    List<ScalarType> types = TYPES.stream().filter(op::accepts).toList();
    ScalarType type = choices.of(types);
    rows.add(
        switch (op) {
          case CONVERT -> tape.convert(row(type), choices.of(TYPES));
          case SELECT -> tape.apply(op, row(BOOL), row(type), row(type));
          default ->
              switch (op.arity()) {
                case 1 -> tape.apply(op, row(type));
                case 2 -> tape.apply(op, row(type), row(type));
                default -> tape.apply(op, row(type), row(type), row(type));
              };
        });
  }

  /** A row of this type, converted from another if there is none. */
  private int row(ScalarType type) {
    List<Integer> fitting = rows.reversed().stream().filter(row -> tape.type(row) == type).toList();
    if (choices.oneIn(8)) {
      return tape.constantBits(type, choices.of(SpecialValues.bits(type)));
    }
    if (fitting.isEmpty()) {
      return tape.convert(choices.of(rows), type);
    }
    return choices.oneIn(2) ? choices.of(fitting) : fitting.getFirst();
  }
}
