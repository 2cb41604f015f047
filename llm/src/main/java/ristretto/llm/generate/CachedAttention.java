package ristretto.llm.generate;

import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.softmax;
import static ristretto.expr.Ops.take;
import static ristretto.expr.Ops.where;

import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.llm.model.Attention;
import ristretto.llm.model.Hyperparameters;

/**
 * Attention to keys and values in a cache.
 *
 * @param places slots of the new tokens, {@code [tokens]}
 * @param positions of the new tokens in their sequences, {@code [tokens]}
 * @param slots of the tokens of the sequences, {@code [tokens, length]} for new tokens of different
 *     sequences, or {@code [1, length]} for those of one sequence; what follows a new token is not
 *     looked at
 * @param order the numbers from 0 on, {@code [length]}
 */
record CachedAttention(
    Context ctx,
    Hyperparameters sizes,
    KeyValueCache cache,
    Tensor<I32> places,
    Tensor<I32> positions,
    Tensor<I32> slots,
    Tensor<I32> order)
    implements Attention {
  @Override
  public Expr<F32> of(int layer, Expr<F32> q, Expr<F32> k, Expr<F32> v) {
    ctx.assignAt(cache.keys(layer), 0, places, k);
    ctx.assignAt(cache.values(layer), 0, places, v);
    Expr<F32> keys = take(cache.keys(layer), slots, 0);
    Expr<F32> values = take(cache.values(layer), slots, 0);
    return slots.shape().at(0) == 1 && q.shape().at(0) > 1
        ? ofOne(q, keys, values)
        : ofEach(q, keys, values);
  }

  /** Attention of tokens of one sequence, as products. */
  private Expr<F32> ofOne(Expr<F32> q, Expr<F32> keys, Expr<F32> values) {
    long tokens = q.shape().at(0);
    long length = slots.shape().at(1);
    long width = sizes.headWidth();
    Expr<F32> queries =
        q.reshape(tokens, sizes.keyHeads(), sizes.group(), width).permute(1, 2, 0, 3);
    Expr<F32> k = keys.permute(0, 2, 3, 1).reshape(sizes.keyHeads(), 1, width, length);
    Expr<F32> v = values.permute(0, 2, 1, 3).reshape(sizes.keyHeads(), 1, length, width);
    Expr<F32> scores = dot(queries, k).times(scale());
    Expr<BOOL> visible = sizes.visible(order, positions.unsqueeze(1));
    return dot(weights(scores, visible), v)
        .permute(2, 0, 1, 3)
        .reshape(tokens, sizes.heads() * width);
  }

  /** Attention of one token of each sequence, as sums over the slots. */
  private Expr<F32> ofEach(Expr<F32> q, Expr<F32> keys, Expr<F32> values) {
    long tokens = q.shape().at(0);
    long width = sizes.headWidth();
    Expr<F32> queries = q.reshape(tokens, sizes.keyHeads(), sizes.group(), width);
    Expr<F32> k = ctx.eval(keys).permute(0, 2, 3, 1);
    Expr<F32> v = ctx.eval(values).permute(0, 2, 1, 3);
    Expr<F32> scores = dot(queries, k).times(scale());
    Expr<BOOL> visible = sizes.visible(order, positions.reshape(tokens, 1, 1, 1));
    return dot(weights(scores, visible), v).reshape(tokens, sizes.heads() * width);
  }

  private double scale() {
    return 1 / Math.sqrt(sizes.headWidth());
  }

  private static Expr<F32> weights(Expr<F32> scores, Expr<BOOL> visible) {
    return softmax(where(visible, scores, -1e30), -1);
  }
}
