package ristretto.expr;

import java.util.Collections;
import java.util.List;
import ristretto.kernels.scalar.Node;

/**
 * Random numbers keyed by seed and element number (Philox4x32-10): reproducible, and fusible like
 * any element-wise expression.
 */
final class RandomExpr<T> extends RExpr<T> {
  private final Node.Distribution distribution;

  /**
   * Creates random numbers.
   *
   * @param seed I64 expression of one element
   */
  RandomExpr(Node.Distribution distribution, DType<T> dtype, Shape shape, Expr<I64> seed) {
    super(dtype, shape, seed);
    this.distribution = distribution;
  }

  @Override
  protected Object key() {
    return distribution;
  }

  @Override
  protected Scalar read(Reads in) {
    int counter = in.elementNumber().row;
    int seed = in.through(0, new ViewOp.Reshape(Shape.SCALAR.longs()), shape()).row;
    return in.scalar(in.tape().random(distribution, dtype().compute(), seed, counter));
  }

  @Override
  protected List<Expr<?>> gradients(Expr<T> dy) {
    return Collections.singletonList(null);
  }

  @Override
  public String toString() {
    return distribution.name().toLowerCase(java.util.Locale.ROOT);
  }
}
