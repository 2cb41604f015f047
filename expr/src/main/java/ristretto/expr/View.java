package ristretto.expr;

import java.util.List;
import ristretto.kernels.ir.Longs;

/** View of another expression through an index map, without copying elements. */
class View<T> extends RExpr<T> {
  private final ViewOp op;

  View(Expr<T> of, ViewOp op) {
    super(of.dtype(), Shape.of(op.dims()), of);
    this.op = op;
  }

  ViewOp op() {
    return op;
  }

  @Override
  protected Object key() {
    return op;
  }

  @Override
  protected Scalar read(Reads in) {
    return in.through(0, op);
  }

  @Override
  protected List<Expr<?>> gradients(Expr<T> dy) {
    return List.of(gradient(op, inputs().get(0).shape(), dy));
  }

  /**
   * Gradient with respect to an expression of shape {@code from}, for the gradient {@code dy} of
   * its view.
   */
  static <T> Expr<T> gradient(ViewOp op, Shape from, Expr<T> dy) {
    return switch (op) {
      case ViewOp.Expand _ -> dy;
      case ViewOp.Reshape _ -> dy.reshape(from.toArray());
      case ViewOp.Permute p -> {
        int[] back = new int[from.rank()];
        for (int d = 0; d < back.length; d++) {
          back[(int) p.axes().get(d)] = d;
        }
        yield dy.permute(back);
      }
      case ViewOp.Pad p ->
          dy.view(new ViewOp.Step(p.before(), Longs.filled(from.rank(), 1), from.longs()));
      case ViewOp.Step s -> stepped(s, from, dy);
      case ViewOp.Diagonal _ -> new Placed<>(from, op, dy);
      case ViewOp.Windows w -> new Overlapped<>(from, w, dy);
    };
  }

  /** Gradient of a slice. With steps of 1 or -1 this is a padding with zeros, which fuses. */
  private static <T> Expr<T> stepped(ViewOp.Step op, Shape from, Expr<T> dy) {
    if (dy.shape().size() == 0) {
      return Scalars.filled(dy.dtype(), from, 0);
    }
    long[] before = op.starts().toArray();
    Expr<T> forward = dy;
    for (int d = 0; d < before.length; d++) {
      long n = op.dims().get(d);
      long step = n == 1 ? 1 : op.steps().get(d);
      if (Math.abs(step) != 1) {
        return new Placed<>(from, op, dy);
      }
      if (step < 0) {
        forward = forward.flip(d);
        before[d] -= n - 1;
      }
    }
    return dy.shape().equals(from) ? forward : Pad.zeros(forward, before, from);
  }

  @Override
  public String toString() {
    return op.getClass().getSimpleName().toLowerCase(java.util.Locale.ROOT) + " to " + shape();
  }
}
