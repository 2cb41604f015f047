package ristretto.symbolic.graph;

import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Seed;
import ristretto.expr.type.F32;
import ristretto.expr.type.Shape;

/** Standard normal random numbers within two standard deviations, by rejection. */
final class TruncatedNormal {
  private static final double LIMIT = 2;

  /**
   * Number of draws per element. All of them are beyond the limit with a probability of 2e-11; the
   * element is then set to the limit.
   */
  private static final int DRAWS = 8;

  private TruncatedNormal() {}

  static Expr<F32> values(Shape shape, long seed) {
    List<Seed> seeds = Seed.of(seed).split(DRAWS);
    Expr<F32> values = Ops.normal(Ops.F32, seeds.get(0), shape.toArray());
    for (int k = 1; k < DRAWS; k++) {
      Expr<F32> next = Ops.normal(Ops.F32, seeds.get(k), shape.toArray());
      values = Ops.where(Ops.abs(values).le(LIMIT), values, next);
    }
    return Ops.clamp(values, -LIMIT, LIMIT);
  }
}
