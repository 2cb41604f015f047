package ristretto.llm.model;

import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.mean;
import static ristretto.expr.Ops.rsqrt;
import static ristretto.expr.Ops.square;
import static ristretto.expr.Ops.take;

import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.llm.gguf.Gguf;

/** Decoder-only transformer: a table of tokens, layers, and the matrix of the output. */
public abstract sealed class Decoder implements Network permits Llama, Phi3, Gpt2 {
  final Context ctx;
  final Hyperparameters sizes;
  private final Expr<F32> table;
  private final Expr<F32> output;

  Decoder(Context ctx, Hyperparameters sizes, Weights weights) {
    this.ctx = ctx;
    this.sizes = sizes;
    this.table = weights.rows("token_embd.weight", sizes.width());
    this.output =
        weights.has("output.weight") ? weights.rows("output.weight", sizes.width()) : table;
  }

  /**
   * Network of a file.
   *
   * @throws ristretto.kernels.FileFormatException if the architecture is not known, or tensors are
   *     missing or of other shapes
   */
  public static Network of(Context ctx, Hyperparameters sizes, Gguf file) {
    var weights = new Weights(ctx, file);
    return switch (sizes.architecture()) {
      case "llama" -> new Llama(ctx, sizes, weights, Rotation.Pairs.ADJACENT);
      case "qwen2", "qwen3" -> new Llama(ctx, sizes, weights, Rotation.Pairs.HALVES);
      case "phi3" -> new Phi3(ctx, sizes, weights);
      case "gpt2" -> new Gpt2(ctx, sizes, weights);
      default -> throw Hyperparameters.unknown(sizes.architecture(), file);
    };
  }

  @Override
  public final long vocabulary() {
    return output.shape().at(0);
  }

  @Override
  public final Expr<F32> hidden(Expr<I32> tokens, Expr<I32> positions, Attention attention) {
    Attention placed = placed(attention, positions);
    Expr<F32> x = ctx.eval(embedded(take(table, tokens, 0), positions));
    for (int k = 0; k < sizes.layers(); k++) {
      x = ctx.eval(after(k, x, placed));
    }
    return x;
  }

  @Override
  public final Expr<F32> logits(Expr<F32> hidden) {
    return dot(normal(hidden), output.t());
  }

  /** Vectors of tokens, with what the network adds for their positions. */
  Expr<F32> embedded(Expr<F32> rows, Expr<I32> positions) {
    return rows;
  }

  /** Attention that tells positions apart. */
  Attention placed(Attention attention, Expr<I32> positions) {
    return attention;
  }

  /** Result of a layer. */
  abstract Expr<F32> after(int layer, Expr<F32> x, Attention attention);

  /** Normalization before the output. */
  abstract Expr<F32> normal(Expr<F32> x);

  /** Normalization by the root of the mean square of the last axis. */
  final Expr<F32> rootMeanSquare(Expr<F32> x, Expr<F32> weight) {
    return x.times(rsqrt(mean(square(x), -1).keepDims().plus(sizes.epsilon()))).times(weight);
  }

  /** Heads of vectors, {@code [tokens, heads, width]}. */
  final Expr<F32> heads(Expr<F32> x) {
    return x.reshape(x.shape().at(0), -1, sizes.headWidth());
  }

  /** Attention to rotated heads. */
  static Attention rotated(Attention attention, Rotation rotation, Expr<I32> positions) {
    Rotation.Angles angles = rotation.angles(positions);
    return (layer, q, k, v) ->
        attention.of(layer, rotation.of(q, angles), rotation.of(k, angles), v);
  }
}
