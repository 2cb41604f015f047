package ristretto.llm.model;

import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.from;
import static ristretto.expr.Ops.mean;
import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.rsqrt;
import static ristretto.expr.Ops.square;
import static ristretto.expr.Ops.take;
import static ristretto.expr.Ops.tanh;

import java.util.ArrayList;
import java.util.List;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;

/** GPT-2 (Radford et al., 2019): learned positions, normalizations with means, no gates. */
public final class Gpt2 extends Decoder {
  private final Expr<F32> places;
  private final Norm norm;
  private final List<Layer> layers = new ArrayList<>();

  /** Normalization by mean and variance (Ba et al., 2016). */
  private record Norm(Expr<F32> weight, Expr<F32> bias, double epsilon) {
    Expr<F32> of(Expr<F32> x) {
      Expr<F32> centred = x.minus(mean(x, -1).keepDims());
      Expr<F32> scale = rsqrt(mean(square(centred), -1).keepDims().plus(epsilon));
      return centred.times(scale).times(weight).plus(bias);
    }
  }

  /** Weights of a layer. */
  private record Layer(Norm first, Linear heads, Linear out, Norm second, Linear up, Linear down) {}

  Gpt2(Context ctx, Hyperparameters sizes, Weights weights) {
    super(ctx, sizes, weights);
    long d = sizes.width();
    places = weights.get("position_embd.weight", sizes.context(), d);
    norm = norm(weights, "output_norm");
    for (int k = 0; k < sizes.layers(); k++) {
      String of = "blk." + k + ".";
      layers.add(
          new Layer(
              norm(weights, of + "attn_norm"),
              weights.linear(of + "attn_qkv", 3 * d, d),
              weights.linear(of + "attn_output", d, d),
              norm(weights, of + "ffn_norm"),
              weights.linear(of + "ffn_up", sizes.wide(), d),
              weights.linear(of + "ffn_down", d, sizes.wide())));
    }
  }

  private Norm norm(Weights weights, String name) {
    return new Norm(
        weights.get(name + ".weight", sizes.width()),
        weights.get(name + ".bias", sizes.width()),
        sizes.epsilon());
  }

  @Override
  Expr<F32> embedded(Expr<F32> rows, Expr<I32> positions) {
    return rows.plus(take(places, positions, 0));
  }

  @Override
  Expr<F32> after(int layer, Expr<F32> x, Attention attention) {
    Layer w = layers.get(layer);
    Expr<F32> all = heads(w.heads.of(w.first.of(x)));
    long n = sizes.heads();
    Expr<F32> q = all.slice(all(), range(0, n));
    Expr<F32> k = all.slice(all(), range(n, 2 * n));
    Expr<F32> y = x.plus(w.out.of(attention.of(layer, q, k, all.slice(all(), from(2 * n)))));
    return y.plus(w.down.of(gelu(w.up.of(w.second.of(y)))));
  }

  /** Approximation of the Gaussian error linear unit that GPT-2 was trained with. */
  private static Expr<F32> gelu(Expr<F32> x) {
    Expr<F32> cubic = x.plus(x.times(x).times(x).times(0.044715));
    return x.times(0.5).times(tanh(cubic.times(Math.sqrt(2 / Math.PI))).plus(1));
  }

  @Override
  Expr<F32> normal(Expr<F32> x) {
    return norm.of(x);
  }
}
