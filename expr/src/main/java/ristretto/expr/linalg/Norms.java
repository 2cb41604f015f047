package ristretto.expr.linalg;

import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.F32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/** Norms, ranks and condition numbers, composed of reductions and singular values. */
final class Norms {
  private Norms() {}

  static <T> Expr<T> ofAll(Expr<T> a) {
    Shapes.requireReal("norm", a);
    return Ops.norm(a);
  }

  static <T> Expr<T> of(Expr<T> a, double ord, int... axes) {
    Shapes.requireReal("norm", a);
    int rank = axes.length == 0 ? a.shape().rank() : axes.length;
    if (rank != 1 && rank != 2) {
      throw new ShapeException(
          "[norm] a norm must be of one axis or two; got %s axes of %s; name the axes."
              .formatted(rank, a.label()));
    }
    if (rank == 1) {
      return ofVectors(a, ord, axes.length == 0 ? 0 : axes[0]);
    }
    Expr<T> matrices = matrices(a, axes);
    if (Math.abs(ord) == 2) {
      Expr<T> s = Linalg.svdvals(matrices);
      return ord > 0 ? Ops.max(s, -1) : Ops.min(s, -1);
    }
    if (Math.abs(ord) != 1 && !Double.isInfinite(ord)) {
      throw wrong("1, -1, 2, -2 or an infinity", String.valueOf(ord), a);
    }
    Expr<T> sums = Ops.sum(Ops.abs(matrices), Double.isInfinite(ord) ? -1 : -2);
    return ord > 0 ? Ops.max(sums, -1) : Ops.min(sums, -1);
  }

  static <T> Expr<T> of(Expr<T> a, String ord, int... axes) {
    Shapes.requireReal("norm", a);
    Expr<T> matrices = matrices(a, axes);
    return switch (ord) {
      case "fro" -> Ops.norm(matrices, -2, -1);
      case "nuc" -> Ops.sum(Linalg.svdvals(matrices), -1);
      default -> throw wrong("\"fro\" or \"nuc\"", "\"" + ord + "\"", a);
    };
  }

  private static ShapeException wrong(String rule, String ord, Expr<?> a) {
    return new ShapeException(
        "[norm] the order of a matrix norm must be %s; got %s for %s; name one axis for vectors."
            .formatted(rule, ord, a.label()));
  }

  private static <T> Expr<T> ofVectors(Expr<T> a, double ord, int axis) {
    if (Double.isNaN(ord)) {
      throw new ShapeException(
          "[norm] the order must be a number; got NaN for " + a.label() + "; use 2.");
    }
    if (ord == Double.POSITIVE_INFINITY) {
      return Ops.normInf(a, axis);
    }
    if (ord == Double.NEGATIVE_INFINITY) {
      return Ops.min(Ops.abs(a), axis);
    }
    if (ord == 0) {
      return Ops.sum(a.ne(0).cast(a.dtype()), axis);
    }
    if (ord == 1) {
      return Ops.norm1(a, axis);
    }
    if (ord == 2) {
      return Ops.norm(a, axis);
    }
    return Ops.sum(Ops.abs(a).pow(ord), axis).pow(1 / ord);
  }

  /** Matrices along two axes, as the last axes. */
  private static <T> Expr<T> matrices(Expr<T> a, int... axes) {
    int rank = a.shape().rank();
    if (axes.length == 0 ? rank != 2 : axes.length != 2) {
      throw new ShapeException(
          "[norm] a matrix norm must be of two axes; got %s axes of %s; name two axes."
              .formatted(axes.length == 0 ? rank : axes.length, a.label()));
    }
    if (axes.length == 0) {
      return a;
    }
    int row = a.shape().axis(axes[0], "norm");
    int column = a.shape().axis(axes[1], "norm");
    if (row == column) {
      throw new ShapeException(
          "[norm] the axes must be distinct; got %s and %s for %s; name two."
              .formatted(axes[0], axes[1], a.label()));
    }
    int[] order = new int[rank];
    int n = 0;
    for (int d = 0; d < rank; d++) {
      if (d != row && d != column) {
        order[n++] = d;
      }
    }
    order[n] = row;
    order[n + 1] = column;
    return a.permute(order);
  }

  static <T> Expr<I64> rank(Expr<T> a, double tolerance) {
    Shapes.requireMatrix("matrixRank", a);
    Shape batch = Shapes.batch(a);
    if (a.shape().dim(-1) == 0 || a.shape().dim(-2) == 0) {
      return Ops.fill(I64.INSTANCE, 0, batch.toArray());
    }
    Expr<T> s = Linalg.svdvals(a);
    double epsilon = a.dtype() == (Object) F32.INSTANCE ? 0x1p-23 : 0x1p-52;
    double relative = epsilon * Math.max(a.shape().dim(-1), a.shape().dim(-2));
    return Ops.countNonZero(
        tolerance < 0
            ? s.gt(Ops.max(s, -1).keepDims().times(relative))
            : s.gt(Ops.scalar(a.dtype(), tolerance)),
        -1);
  }

  static <T> Expr<T> condition(Expr<T> a) {
    Expr<T> s = singularValues(a);
    return Ops.max(s, -1).div(Ops.min(s, -1));
  }

  static <T> Expr<T> condition(Expr<T> a, double ord) {
    if (Math.abs(ord) == 2) {
      Expr<T> s = singularValues(a);
      return ord > 0 ? Ops.max(s, -1).div(Ops.min(s, -1)) : Ops.min(s, -1).div(Ops.max(s, -1));
    }
    Shapes.requireSquare("cond", a);
    return of(a, ord, -2, -1).times(of(Linalg.inv(a), ord, -2, -1));
  }

  private static <T> Expr<T> singularValues(Expr<T> a) {
    Shapes.requireMatrix("cond", a);
    return Linalg.svdvals(a);
  }
}
