package ristretto.expr.random;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.RExpr;
import ristretto.expr.formula.Reads;
import ristretto.expr.formula.Scalar;
import ristretto.expr.type.DType;
import ristretto.expr.type.F64;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.kernels.lambda.LongLambda;
import ristretto.kernels.lift.LiftedLambda;
import ristretto.kernels.lift.Lifter;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Random numbers from a sampler that is lifted into the kernel. A sampler is a function of the key,
 * the element number, and the bits of two parameters of F64. Draws are constants of gradients.
 */
final class Draw<T> extends RExpr<T> {
  private final LiftedLambda code;

  private Draw(
      DType<T> dtype, Shape shape, LiftedLambda code, Expr<I64> key, Expr<F64> a, Expr<F64> b) {
    super(dtype, shape, key, a, b);
    this.code = code;
  }

  /** Creates draws with parameters that broadcast to the shape. */
  static <T> Expr<T> of(
      DType<T> dtype,
      Shape shape,
      LongLambda.ToDouble4 sampler,
      Expr<I64> key,
      Expr<F64> a,
      Expr<F64> b) {
    return new Draw<>(dtype, shape, Lifter.lift(sampler), key, a, b);
  }

  @Override
  protected Object key() {
    return code;
  }

  @Override
  protected Scalar read(Reads in) {
    TapeBuilder tape = in.tape();
    int key = in.input(0).row();
    int element = in.elementNumber().row();
    int a = tape.bitcast(in.input(1).row(), ScalarType.I64);
    int b = tape.bitcast(in.input(2).row(), ScalarType.I64);
    return in.scalar(tape.inline(code.tape(), key, element, a, b)[0]).cast(dtype());
  }

  @Override
  protected List<Expr<?>> gradients(Expr<T> dy) {
    return Collections.nCopies(3, null);
  }

  @Override
  public String toString() {
    return "draw " + Arrays.toString(shape().extents());
  }
}
