package ristretto.llm.model;

import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.concat;
import static ristretto.expr.Ops.from;
import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.stack;

import java.util.Optional;
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
  private final double amplitude;
  private final Tensor<F32> frequencies;

  /**
   * Creates the rotations of a model.
   *
   * @param factors divisors of the frequencies, by pair
   */
  Rotation(Context ctx, Hyperparameters sizes, Pairs pairs, Optional<Expr<F32>> factors) {
    this.ctx = ctx;
    this.amplitude = sizes.amplitude();
    this.pairs = pairs;
    this.rotated = sizes.rotated();
    var all = new float[sizes.rotated() / 2];
    for (int i = 0; i < all.length; i++) {
      all[i] = (float) (Math.pow(sizes.base(), -2.0 * i / sizes.rotated()) / sizes.stretch());
    }
    Tensor<F32> plain = ctx.tensor(all);
    this.frequencies = factors.map(f -> ctx.eval(plain.div(f))).orElse(plain);
  }

  /**
   * Factors of the elements of a pair and of their partners: cosines, and sines with the sign of
   * the rotation. They have the shape of heads whose pairs have an axis of their own.
   */
  record Angles(Expr<F32> cos, Expr<F32> sin) {}

  /**
   * Evaluates the angles of positions.
   *
   * @param positions {@code [tokens]}
   */
  Angles angles(Expr<I32> positions) {
    Expr<F32> angles = positions.cast(Ops.F32).unsqueeze(1).times(frequencies).unsqueeze(1);
    Expr<F32> cos = Ops.cos(angles).times(amplitude);
    Expr<F32> sin = Ops.sin(angles).times(amplitude);
    int axis = axis();
    return new Angles(ctx.eval(stack(axis, cos, cos)), ctx.eval(stack(axis, sin.neg(), sin)));
  }

  /** Axis of the two elements of a pair. */
  private int axis() {
    return pairs == Pairs.ADJACENT ? 3 : 2;
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
    long tokens = x.shape().at(0);
    long heads = x.shape().at(1);
    Expr<F32> two =
        pairs == Pairs.ADJACENT
            ? x.reshape(tokens, heads, rotated / 2, 2)
            : x.reshape(tokens, heads, 2, rotated / 2);
    Expr<F32> turned = two.times(angles.cos).plus(two.flip(axis()).times(angles.sin));
    return turned.reshape(tokens, heads, rotated);
  }
}
