package ristretto.jmh.engine;

import static ristretto.expr.Ops.F32;

import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;

/** Expression of ten operations over two inputs, with negligible evaluation time. */
public final class TenNodes {
  private final Tensor<F32> a;
  private final Tensor<F32> b;
  private final Tensor<F32> y;
  private final Context context;

  public TenNodes(Context context, int n) {
    this.context = context;
    float[] values = new float[n];
    for (int i = 0; i < n; i++) {
      values[i] = 1 + i / (float) n;
    }
    a = context.tensor(values);
    b = context.tensor(values);
    y = context.empty(F32, n);
  }

  public Tensor<F32> target() {
    return y;
  }

  /** Builds the expression; its ten operations do not include the constants. */
  public Expr<F32> build() {
    Expr<F32> first = a.times(b).plus(a).times(0.5);
    Expr<F32> second = b.minus(a).times(2).plus(b);
    return first.times(second).plus(first).times(b).minus(second);
  }

  public void assign(Expr<F32> expression) {
    context.assign(y, expression);
  }
}
