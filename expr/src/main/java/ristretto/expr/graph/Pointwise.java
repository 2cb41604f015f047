package ristretto.expr.graph;

import ristretto.expr.formula.Reads;
import ristretto.expr.formula.Scalar;
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
    if (op == Op.CONVERT) {
      return in.input(0).cast(term.dtype());
    }
    return switch (op.arity()) {
      case 1 -> in.input(0).apply(op);
      case 2 -> in.input(0).apply(op, in.input(1));
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
