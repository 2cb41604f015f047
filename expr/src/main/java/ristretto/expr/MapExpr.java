package ristretto.expr;

import java.util.List;
import ristretto.kernels.ShapeException;
import ristretto.kernels.lambda.Lambda;
import ristretto.kernels.lift.LiftedLambda;
import ristretto.kernels.lift.Lifter;

/** Element-wise application of a user lambda; captured values are launch scalars. */
final class MapExpr<T> extends RExpr<T> {
  private final Lambda lambda;
  private final LiftedLambda lifted;
  private final boolean indexed;

  private MapExpr(
      DType<T> dtype,
      Shape shape,
      Lambda lambda,
      LiftedLambda lifted,
      boolean indexed,
      List<Expr<?>> inputs) {
    super(dtype, shape, inputs);
    this.lambda = lambda;
    this.lifted = lifted;
    this.indexed = indexed;
  }

  static <T> Expr<T> of(DType<T> dtype, Lambda lambda, Expr<?>... inputs) {
    Shape shape = inputs[0].shape();
    for (Expr<?> in : inputs) {
      Shape wider = Shape.broadcast(shape, in.shape());
      if (wider == null) {
        throw new ShapeException(
            "[map] shapes must broadcast; got " + labels(inputs) + ". Reshape one of them.");
      }
      shape = wider;
    }
    return new MapExpr<>(dtype, shape, lambda, Lifter.lift(lambda), false, List.of(inputs));
  }

  /** Applies a lambda whose last parameter is the row-major number of the element. */
  static <T> Expr<T> indexed(DType<T> dtype, Lambda lambda, Expr<?> input) {
    return new MapExpr<>(dtype, input.shape(), lambda, Lifter.lift(lambda), true, List.of(input));
  }

  private static String labels(Expr<?>... inputs) {
    var text = new StringBuilder();
    for (Expr<?> in : inputs) {
      text.append(text.isEmpty() ? "" : ", ").append(in.label());
    }
    return text.toString();
  }

  @Override
  protected Object key() {
    return lifted;
  }

  @Override
  protected void scalars(ScalarSink sink) {
    var types = lifted.captured();
    if (types.isEmpty()) {
      return;
    }
    long[] bits = lifted.capturedBits(lambda);
    for (int k = 0; k < bits.length; k++) {
      sink.addBits(DType.of(types.get(k)), bits[k]);
    }
  }

  @Override
  protected Scalar read(Reads in) {
    int given = inputs().size() + (indexed ? 1 : 0);
    int[] rows = new int[given + lifted.captured().size()];
    for (int k = 0; k < inputs().size(); k++) {
      rows[k] = in.input(k).row;
    }
    if (indexed) {
      rows[inputs().size()] = in.elementNumber().row;
    }
    for (int k = given; k < rows.length; k++) {
      rows[k] = in.number(k - given).row;
    }
    return in.scalar(in.tape().inline(lifted.tape(), rows)[0]);
  }

  @Override
  public String toString() {
    return "map";
  }
}
