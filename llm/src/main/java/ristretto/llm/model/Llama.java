package ristretto.llm.model;

import static ristretto.expr.Ops.silu;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;

/**
 * Llama 1 to 3 (Touvron et al., 2023), Mistral (Jiang et al., 2023), and Qwen 2 and 3 (Yang et al.,
 * 2024 and 2025): the latter have biases of queries, keys and values, or normalizations of their
 * heads.
 */
public final class Llama extends Decoder {
  private final Rotation rotation;
  private final Expr<F32> norm;
  private final List<Layer> layers = new ArrayList<>();

  /** Weights of a layer. */
  private record Layer(
      Expr<F32> attentionNorm,
      Linear query,
      Linear key,
      Linear value,
      Optional<Expr<F32>> queryNorm,
      Optional<Expr<F32>> keyNorm,
      Linear out,
      Expr<F32> feedNorm,
      Linear gate,
      Linear up,
      Linear down) {}

  Llama(Context ctx, Hyperparameters sizes, Weights weights, Rotation.Pairs pairs) {
    super(ctx, sizes, weights);
    rotation = new Rotation(ctx, sizes, pairs, weights.vector("rope_freqs.weight"));
    long d = sizes.width();
    long queries = sizes.queryWidth();
    long keys = sizes.keyWidth();
    norm = weights.get("output_norm.weight", d);
    for (int k = 0; k < sizes.layers(); k++) {
      String of = "blk." + k + ".";
      layers.add(
          new Layer(
              weights.get(of + "attn_norm.weight", d),
              weights.linear(of + "attn_q", queries, d),
              weights.linear(of + "attn_k", keys, d),
              weights.linear(of + "attn_v", keys, d),
              weights.vector(of + "attn_q_norm.weight"),
              weights.vector(of + "attn_k_norm.weight"),
              weights.linear(of + "attn_output", d, queries),
              weights.get(of + "ffn_norm.weight", d),
              weights.linear(of + "ffn_gate", sizes.wide(), d),
              weights.linear(of + "ffn_up", sizes.wide(), d),
              weights.linear(of + "ffn_down", d, sizes.wide())));
    }
  }

  @Override
  Attention placed(Attention attention, Expr<I32> positions) {
    return rotated(attention, rotation, positions);
  }

  @Override
  Expr<F32> after(int k, Expr<F32> x, Attention attention) {
    Layer w = layers.get(k);
    Expr<F32> h = rootMeanSquare(x, w.attentionNorm);
    Expr<F32> q = normal(heads(w.query.of(h)), w.queryNorm);
    Expr<F32> key = normal(heads(w.key.of(h)), w.keyNorm);
    Expr<F32> y = x.plus(w.out.of(attention.of(k, q, key, heads(w.value.of(h)))));
    Expr<F32> g = rootMeanSquare(y, w.feedNorm);
    return y.plus(w.down.of(silu(w.gate.of(g)).times(w.up.of(g))));
  }

  private Expr<F32> normal(Expr<F32> heads, Optional<Expr<F32>> weight) {
    return weight.map(w -> rootMeanSquare(heads, w)).orElse(heads);
  }

  @Override
  Expr<F32> normal(Expr<F32> x) {
    return rootMeanSquare(x, norm);
  }
}
