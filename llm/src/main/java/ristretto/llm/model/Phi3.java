package ristretto.llm.model;

import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.from;
import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.silu;

import java.util.ArrayList;
import java.util.List;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;

/**
 * Phi 3 (Abdin et al., 2024): one matrix for queries, keys and values, and one for the gate and
 * what it opens.
 */
public final class Phi3 extends Decoder {
  private final Rotation rotation;
  private final Expr<F32> norm;
  private final List<Layer> layers = new ArrayList<>();

  /** Weights of a layer. */
  private record Layer(
      Expr<F32> attentionNorm,
      Linear heads,
      Linear out,
      Expr<F32> feedNorm,
      Linear up,
      Linear down) {}

  Phi3(Context ctx, Hyperparameters sizes, Weights weights) {
    super(ctx, sizes, weights);
    boolean beyond = sizes.context() > sizes.originalContext();
    rotation =
        new Rotation(
            ctx,
            sizes,
            Rotation.Pairs.HALVES,
            weights.vector(beyond ? "rope_factors_long.weight" : "rope_factors_short.weight"));
    long d = sizes.width();
    long queries = sizes.queryWidth();
    long keys = sizes.keyWidth();
    norm = weights.get("output_norm.weight", d);
    for (int k = 0; k < sizes.layers(); k++) {
      String of = "blk." + k + ".";
      layers.add(
          new Layer(
              weights.get(of + "attn_norm.weight", d),
              weights.linear(of + "attn_qkv", queries + 2 * keys, d),
              weights.linear(of + "attn_output", d, queries),
              weights.get(of + "ffn_norm.weight", d),
              weights.linear(of + "ffn_up", 2L * sizes.wide(), d),
              weights.linear(of + "ffn_down", d, sizes.wide())));
    }
  }

  @Override
  Attention placed(Attention attention, Expr<I32> positions) {
    return rotated(attention, rotation, positions);
  }

  @Override
  Expr<F32> after(int layer, Expr<F32> x, Attention attention) {
    Layer w = layers.get(layer);
    Expr<F32> all = heads(w.heads.of(rootMeanSquare(x, w.attentionNorm)));
    int keys = sizes.heads();
    int values = keys + sizes.keyHeads();
    Expr<F32> q = all.slice(all(), range(0, keys));
    Expr<F32> k = all.slice(all(), range(keys, values));
    Expr<F32> v = all.slice(all(), from(values));
    Expr<F32> y = x.plus(w.out.of(attention.of(layer, q, k, v)));
    Expr<F32> both = w.up.of(rootMeanSquare(y, w.feedNorm));
    Expr<F32> gate = both.slice(all(), range(0, sizes.wide()));
    return y.plus(w.down.of(silu(gate).times(both.slice(all(), from(sizes.wide())))));
  }

  @Override
  Expr<F32> normal(Expr<F32> x) {
    return rootMeanSquare(x, norm);
  }
}
