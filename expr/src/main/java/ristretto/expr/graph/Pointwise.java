package ristretto.expr.graph;

import ristretto.expr.formula.Integers;
import ristretto.expr.formula.Reads;
import ristretto.expr.formula.Scalar;
import ristretto.expr.type.DType;
import ristretto.kernels.scalar.Op;

/** Built-in scalar operation on each element, with broadcasting. */
public record Pointwise(Op op) implements Formula {
  private static final Pointwise[] ALL = new Pointwise[Op.values().length];

  static {
    for (Op op : Op.values()) {
      ALL[op.ordinal()] = new Pointwise(op);
    }
  }

  public static Pointwise of(Op op) {
    return ALL[op.ordinal()];
  }

  @Override
  public Object key(Term term) {
    return op;
  }

  @Override
  public Scalar read(Term term, Reads in) {
    DType<?> of = term.operand(0).dtype();
    if (op == Op.CONVERT) {
      return Integers.convert(in.input(0), of, term.dtype());
    }
    return switch (op.arity()) {
      case 1 -> Integers.apply(op, of, in.input(0), null);
      case 2 -> Integers.apply(op, of, in.input(0), in.input(1));
      default -> {
        Scalar a = in.input(0);
        Scalar b = in.input(1);
        Scalar c = in.input(2);
        yield in.scalar(in.tape().apply(op, a.row(), b.row(), c.row()));
      }
    };
  }

  @Override
  public String text(Term term) {
    return op == Op.CONVERT ? "cast(" + term.dtype() + ")" : op.word();
  }
}
