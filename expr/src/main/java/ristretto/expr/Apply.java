package ristretto.expr;

import ristretto.kernels.ShapeException;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;

/** Built-in element-wise operation with broadcasting. */
final class Apply<T> extends RExpr<T> {
  private final Op op;

  private Apply(Op op, DType<T> dtype, Shape shape, Expr<?>... inputs) {
    super(dtype, shape, inputs);
    this.op = op;
  }

  static <T> Expr<T> unary(Op op, Expr<T> a) {
    check(op, a);
    return new Apply<>(op, a.dtype(), a.shape(), a);
  }

  static <T> Expr<T> binary(Op op, Expr<T> a, Expr<T> b) {
    check(op, a, b);
    return new Apply<>(op, a.dtype(), Expr.broadcast(op.word(), a, b), a, b);
  }

  static <T> Expr<BOOL> compare(Op op, Expr<T> a, Expr<T> b) {
    check(op, a, b);
    return new Apply<>(op, BOOL.INSTANCE, Expr.broadcast(op.word(), a, b), a, b);
  }

  static <T> Expr<T> select(Expr<BOOL> condition, Expr<T> a, Expr<T> b) {
    requireEqual("where", a, b);
    Shape shape = Shape.broadcast(condition.shape(), Expr.broadcast("where", a, b));
    if (shape == null) {
      throw new ShapeException(
          "[where] shapes must broadcast; got condition "
              + condition.label()
              + ", a "
              + a.label()
              + ", b "
              + b.label()
              + ". Reshape one of them.");
    }
    return new Apply<>(Op.SELECT, a.dtype(), shape, condition, a, b);
  }

  static <T> Expr<T> fma(Expr<T> a, Expr<T> b, Expr<T> c) {
    check(Op.FMA, a, b);
    requireEqual("fma", a, c);
    Shape shape = Shape.broadcast(Expr.broadcast("fma", a, b), c.shape());
    if (shape == null) {
      throw new ShapeException(
          "[fma] shapes must broadcast; got a "
              + a.label()
              + ", b "
              + b.label()
              + ", c "
              + c.label()
              + ". Reshape one of them.");
    }
    return new Apply<>(Op.FMA, a.dtype(), shape, a, b, c);
  }

  @SuppressWarnings("unchecked")
  static <T, R> Expr<R> cast(Expr<T> a, DType<R> to) {
    return a.dtype() == (DType<?>) to ? (Expr<R>) a : new Apply<>(Op.CONVERT, to, a.shape(), a);
  }

  private static void check(Op op, Expr<?> a, Expr<?>... others) {
    if (!op.accepts(a.dtype().compute())) {
      throw new ShapeException(
          "["
              + op.word()
              + "] operands must be "
              + wanted(op)
              + "; got "
              + a.label()
              + "; cast first, as in x.cast("
              + (op.kind() == Op.Kind.LOGICAL
                  ? "BOOL"
                  : op.kind() == Op.Kind.FLOATING ? "F32" : "I32")
              + ").");
    }
    for (Expr<?> b : others) {
      requireEqual(op.word(), a, b);
    }
  }

  static void requireEqual(String op, Expr<?> a, Expr<?> b) {
    if (a.dtype() != (Object) b.dtype()) {
      throw new ShapeException(
          "["
              + op
              + "] dtypes must be equal; got a "
              + a.label()
              + ", b "
              + b.label()
              + "; cast one of them.");
    }
  }

  private static String wanted(Op op) {
    return switch (op.kind()) {
      case NUMERIC, COMPARE -> "numbers";
      case FLOATING -> "floating point";
      case INTEGRAL -> "integers";
      case LOGICAL -> "bool";
      case BITWISE -> "integers or bool";
      case SELECT, CAST -> "of any dtype";
    };
  }

  Op op() {
    return op;
  }

  @Override
  protected Object key() {
    return op;
  }

  @Override
  protected Scalar read(Reads in) {
    if (op == Op.CONVERT) {
      return cast(in.input(0), dtype().scalar());
    }
    return switch (op.arity()) {
      case 1 -> in.input(0).apply(op);
      case 2 -> in.input(0).apply(op, in.input(1));
      default -> {
        Scalar a = in.input(0);
        Scalar b = in.input(1);
        Scalar c = in.input(2);
        yield in.scalar(in.tape().apply(op, a.row, b.row, c.row));
      }
    };
  }

  /**
   * Converts a scalar and rounds to storage types, so that {@code x.cast(I8)} wraps inside a fused
   * kernel as it does in memory.
   */
  static Scalar cast(Scalar a, ScalarType to) {
    var t = a.tape;
    int row = t.convert(a.row, to.compute());
    int rounded =
        switch (to) {
          case I8 -> {
            int bits = t.constant(ScalarType.I32, 24);
            yield t.apply(Op.SHR, t.apply(Op.SHL, row, bits), bits);
          }
          case U8 -> t.apply(Op.AND, row, t.constant(ScalarType.I32, 255));
          case F16 -> NarrowFloats.half(t, row);
          case BF16 -> NarrowFloats.bfloat(t, row);
          case BOOL, I32, I64, F32, F64 -> row;
        };
    return new Scalar(t, rounded);
  }

  @Override
  public String toString() {
    return op == Op.CONVERT ? "cast(" + dtype() + ")" : op.word();
  }
}
