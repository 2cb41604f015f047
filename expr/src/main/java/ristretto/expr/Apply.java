package ristretto.expr;

import java.util.List;
import ristretto.expr.graph.Formula.Sigmoid;
import ristretto.expr.graph.Formula.Softplus;
import ristretto.expr.graph.Formula.StopGradient;
import ristretto.expr.graph.IntegerPower;
import ristretto.expr.graph.Lifted;
import ristretto.expr.graph.Pointwise;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.kernels.lambda.Lambda;
import ristretto.kernels.lift.Lifter;
import ristretto.kernels.scalar.Op;

/** Creates element-wise operations and checks their operands. */
final class Apply {
  private Apply() {}

  static <T> Expr<T> unary(Op op, Expr<T> a) {
    check(op, a);
    return new Computed<>(Pointwise.of(op), a.dtype(), a.shape(), a);
  }

  static <T> Expr<T> binary(Op op, Expr<T> a, Expr<T> b) {
    check(op, a, b);
    return new Computed<>(Pointwise.of(op), a.dtype(), Expr.broadcast(op.word(), a, b), a, b);
  }

  static <T> Expr<BOOL> compare(Op op, Expr<T> a, Expr<T> b) {
    check(op, a, b);
    return new Computed<>(Pointwise.of(op), BOOL.INSTANCE, Expr.broadcast(op.word(), a, b), a, b);
  }

  static <T> Expr<T> select(Expr<BOOL> condition, Expr<T> a, Expr<T> b) {
    requireEqual("where", a, b);
    Shape shape = Shape.broadcast(condition.shape(), Expr.broadcast("where", a, b));
    if (shape == null) {
      throw new ShapeException(
          "[where] shapes must broadcast; got condition %s, a %s, b %s. Reshape one of them."
              .formatted(condition.label(), a.label(), b.label()));
    }
    return new Computed<>(Pointwise.of(Op.SELECT), a.dtype(), shape, condition, a, b);
  }

  static <T> Expr<T> fma(Expr<T> a, Expr<T> b, Expr<T> c) {
    check(Op.FMA, a, b);
    requireEqual("fma", a, c);
    Shape shape = Shape.broadcast(Expr.broadcast("fma", a, b), c.shape());
    if (shape == null) {
      throw new ShapeException(
          "[fma] shapes must broadcast; got a %s, b %s, c %s. Reshape one of them."
              .formatted(a.label(), b.label(), c.label()));
    }
    return new Computed<>(Pointwise.of(Op.FMA), a.dtype(), shape, a, b, c);
  }

  @SuppressWarnings("unchecked")
  static <T, R> Expr<R> cast(Expr<T> a, DType<R> to) {
    return a.dtype() == (DType<?>) to
        ? (Expr<R>) a
        : new Computed<>(Pointwise.of(Op.CONVERT), to, a.shape(), a);
  }

  /** True where an element is neither NaN nor infinite. */
  static <T> Expr<BOOL> isFinite(Expr<T> a) {
    return a.dtype().isFloat() ? unary(Op.ABS, a).lt(infinity(a)) : a.eq(a);
  }

  /** True where an element is an infinity of either sign. */
  static <T> Expr<BOOL> isInfinite(Expr<T> a) {
    return a.dtype().isFloat() ? unary(Op.ABS, a).eq(infinity(a)) : a.ne(a);
  }

  private static <T> Expr<T> infinity(Expr<T> like) {
    return Scalars.literal(like.dtype(), Double.POSITIVE_INFINITY);
  }

  private static void check(Op op, Expr<?> a, Expr<?>... others) {
    if (!op.accepts(a.dtype().compute())) {
      throw new ShapeException(
          "[%s] operands must be %s; got %s; cast first, as in x.cast(%s)."
              .formatted(
                  op.word(),
                  wanted(op),
                  a.label(),
                  op.kind() == Op.Kind.LOGICAL
                      ? "BOOL"
                      : op.kind() == Op.Kind.FLOATING ? "F32" : "I32"));
    }
    for (Expr<?> b : others) {
      requireEqual(op.word(), a, b);
    }
  }

  static void requireEqual(String op, Expr<?> a, Expr<?> b) {
    if (a.dtype() != (Object) b.dtype()) {
      throw new ShapeException(
          "[%s] dtypes must be equal; got a %s, b %s; cast one of them."
              .formatted(op, a.label(), b.label()));
    }
  }

  static void requireFloat(String op, Expr<?> a) {
    if (!a.dtype().isFloat()) {
      throw new ShapeException(
          "[%s] operands must be floating point; got %s; cast first, as in x.cast(F64)."
              .formatted(op, a.label()));
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

  static <T> Expr<T> sigmoid(Expr<T> a) {
    requireFloat("sigmoid", a);
    return new Computed<>(new Sigmoid(), a.dtype(), a.shape(), a);
  }

  static <T> Expr<T> softplus(Expr<T> a) {
    requireFloat("softplus", a);
    return new Computed<>(new Softplus(), a.dtype(), a.shape(), a);
  }

  static <T> Expr<T> stopGradient(Expr<T> a) {
    return new Computed<>(new StopGradient(), a.dtype(), a.shape(), a);
  }

  // Powers

  /** Element-wise power; see {@link Ops#pow(Expr, Expr)}. */
  static <T> Expr<T> power(Expr<T> a, Expr<T> b) {
    if (a.dtype().isInteger()) {
      requireEqual("pow", a, b);
      return new Computed<>(new IntegerPower(), a.dtype(), Expr.broadcast("pow", a, b), a, b);
    }
    Expr<T> one = Scalars.literal(a.dtype(), 1);
    Expr<BOOL> unit = a.eq(one).or(unary(Op.ABS, a).eq(one).and(isInfinite(b)));
    return select(isFinite(b).not().and(unit), one, binary(Op.POW, a, b));
  }

  /** Power with a number; small whole exponents of a need no power function. */
  static <T> Expr<T> power(Expr<T> a, double b) {
    if (b == 1) {
      return a;
    }
    if (b == 2) {
      return a.times(a);
    }
    if (b == 3) {
      return a.times(a).times(a);
    }
    if (b == -1 && a.dtype().isFloat()) {
      return Scalars.literal(a.dtype(), 1).div(a);
    }
    return a.dtype().isFloat() && Double.isFinite(b)
        ? binary(Op.POW, a, a.number(b))
        : power(a, a.number(b));
  }

  // Lambdas

  /** Applies a user's lambda, with broadcasting. */
  static <T> Expr<T> map(DType<T> dtype, Lambda lambda, Expr<?>... inputs) {
    Shape shape = inputs[0].shape();
    for (Expr<?> in : inputs) {
      Shape wider = Shape.broadcast(shape, in.shape());
      if (wider == null) {
        throw new ShapeException(
            "[map] shapes must broadcast; got " + labels(inputs) + ". Reshape one of them.");
      }
      shape = wider;
    }
    return new Computed<>(
        new Lifted(lambda, Lifter.lift(lambda), false), dtype, shape, List.of(inputs));
  }

  /** Applies a lambda whose last parameter is the row-major number of the element. */
  static <T> Expr<T> mapIndexed(DType<T> dtype, Lambda lambda, Expr<?> input) {
    return new Computed<>(
        new Lifted(lambda, Lifter.lift(lambda), true), dtype, input.shape(), List.of(input));
  }

  private static String labels(Expr<?>... inputs) {
    var text = new StringBuilder();
    for (Expr<?> in : inputs) {
      text.append(text.isEmpty() ? "" : ", ").append(in.label());
    }
    return text.toString();
  }
}
