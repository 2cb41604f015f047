package ristretto.llm.model;

import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.at;
import static ristretto.expr.Ops.concat;
import static ristretto.expr.Ops.from;
import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.stack;

import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;

/**
 * Rotary positions (Su et al., 2021): pairs of elements of each head are rotated by angles
 * proportional to the position.
 */
final class Rotation {
  /** Elements that form a pair. */
  enum Pairs {
    /** Elements 2 i and 2 i + 1. */
    ADJACENT,
    /** Elements i and i + half of the rotated ones. */
    HALVES
  }

  private final Context ctx;
  private final Pairs pairs;
  private final long rotated;
  private final Tensor<F32> frequencies;

  Rotation(Context ctx, Hyperparameters sizes, Pairs pairs) {
    this.ctx = ctx;
    this.pairs = pairs;
    this.rotated = sizes.rotated();
    var all = new float[sizes.rotated() / 2];
    for (int i = 0; i < all.length; i++) {
      all[i] = (float) Math.pow(sizes.base(), -2.0 * i / sizes.rotated());
    }
    this.frequencies = ctx.tensor(all);
  }

  /** Cosines and sines of the angles, {@code [tokens, 1, pairs]}. */
  record Angles(Expr<F32> cos, Expr<F32> sin) {}

  /**
   * Evaluates the angles of positions.
   *
   * @param positions {@code [tokens]}
   */
  Angles angles(Expr<I32> positions) {
    Expr<F32> angles = positions.cast(Ops.F32).unsqueeze(1).times(frequencies).unsqueeze(1);
    return new Angles(ctx.eval(Ops.cos(angles)), ctx.eval(Ops.sin(angles)));
  }

  /**
   * Rotates heads.
   *
   * @param x {@code [tokens, heads, width]}
   */
  Expr<F32> of(Expr<F32> x, Angles angles) {
    long width = x.shape().at(2);
    if (rotated < width) {
      Expr<F32> some = of(x.slice(all(), all(), range(0, rotated)), angles);
      return concat(2, some, x.slice(all(), all(), from(rotated)));
    }
    Expr<F32> cos = angles.cos;
    Expr<F32> sin = angles.sin;
    long tokens = x.shape().at(0);
    long heads = x.shape().at(1);
    boolean adjacent = pairs == Pairs.ADJACENT;
    Expr<F32> two =
        adjacent
            ? x.reshape(tokens, heads, rotated / 2, 2)
            : x.reshape(tokens, heads, 2, rotated / 2);
    Expr<F32> a = two.slice(all(), all(), adjacent ? all() : at(0), adjacent ? at(0) : all());
    Expr<F32> b = two.slice(all(), all(), adjacent ? all() : at(1), adjacent ? at(1) : all());
    Expr<F32> real = a.times(cos).minus(b.times(sin));
    Expr<F32> imaginary = a.times(sin).plus(b.times(cos));
    return stack(adjacent ? 3 : 2, real, imaginary).reshape(tokens, heads, rotated);
  }
}
