package ristretto.llm.model;

import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.mean;
import static ristretto.expr.Ops.rsqrt;
import static ristretto.expr.Ops.silu;
import static ristretto.expr.Ops.square;
import static ristretto.expr.Ops.take;

import java.util.ArrayList;
import java.util.List;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;

/** Llama 2 and 3 (Touvron et al., 2023), and models of the same structure. */
public final class Llama implements Network {
  private final Context ctx;
  private final Hyperparameters sizes;
  private final Rotation rotation;
  private final Expr<F32> table;
  private final Expr<F32> norm;
  private final Expr<F32> output;
  private final List<Layer> layers = new ArrayList<>();

  /** Weights of a layer. */
  private record Layer(
      Expr<F32> attentionNorm,
      Expr<F32> query,
      Expr<F32> key,
      Expr<F32> value,
      Expr<F32> out,
      Expr<F32> feedNorm,
      Expr<F32> gate,
      Expr<F32> up,
      Expr<F32> down) {}

  /**
   * Loads the weights.
   *
   * @param vocabulary number of tokens
   * @param wide width of the feed-forward networks
   */
  public Llama(Context ctx, Hyperparameters sizes, Weights weights, long vocabulary, long wide) {
    this.ctx = ctx;
    this.sizes = sizes;
    this.rotation = new Rotation(ctx, sizes, Rotation.Pairs.ADJACENT);
    long d = sizes.width();
    long queries = (long) sizes.heads() * sizes.headWidth();
    long keys = (long) sizes.keyHeads() * sizes.headWidth();
    table = weights.get("token_embd.weight", vocabulary, d);
    norm = weights.get("output_norm.weight", d);
    output = weights.has("output.weight") ? weights.get("output.weight", vocabulary, d) : table;
    for (int k = 0; k < sizes.layers(); k++) {
      String of = "blk." + k + ".";
      layers.add(
          new Layer(
              weights.get(of + "attn_norm.weight", d),
              weights.get(of + "attn_q.weight", queries, d).t(),
              weights.get(of + "attn_k.weight", keys, d).t(),
              weights.get(of + "attn_v.weight", keys, d).t(),
              weights.get(of + "attn_output.weight", d, queries).t(),
              weights.get(of + "ffn_norm.weight", d),
              weights.get(of + "ffn_gate.weight", wide, d).t(),
              weights.get(of + "ffn_up.weight", wide, d).t(),
              weights.get(of + "ffn_down.weight", d, wide).t()));
    }
  }

  @Override
  public long vocabulary() {
    return output.shape().at(0);
  }

  @Override
  public Expr<F32> hidden(Expr<I32> tokens, Expr<I32> positions, Attention attention) {
    Rotation.Angles angles = rotation.angles(positions);
    Expr<F32> x = ctx.eval(take(table, tokens, 0));
    for (int k = 0; k < layers.size(); k++) {
      x = ctx.eval(after(k, x, angles, attention));
    }
    return x;
  }

  @Override
  public Expr<F32> logits(Expr<F32> hidden) {
    return dot(normal(hidden, norm), output.t());
  }

  private Expr<F32> after(int k, Expr<F32> x, Rotation.Angles angles, Attention attention) {
    Layer w = layers.get(k);
    Expr<F32> h = normal(x, w.attentionNorm);
    Expr<F32> q = rotation.of(heads(dot(h, w.query)), angles);
    Expr<F32> key = rotation.of(heads(dot(h, w.key)), angles);
    Expr<F32> seen = attention.of(k, q, key, heads(dot(h, w.value)));
    Expr<F32> y = x.plus(dot(seen, w.out));
    Expr<F32> g = normal(y, w.feedNorm);
    return y.plus(dot(silu(dot(g, w.gate)).times(dot(g, w.up)), w.down));
  }

  private Expr<F32> heads(Expr<F32> x) {
    return x.reshape(x.shape().at(0), -1, sizes.headWidth());
  }

  private Expr<F32> normal(Expr<F32> x, Expr<F32> weight) {
    return x.times(rsqrt(mean(square(x), -1).keepDims().plus(sizes.epsilon()))).times(weight);
  }
}
