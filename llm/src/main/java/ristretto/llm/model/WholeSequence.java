package ristretto.llm.model;

import static ristretto.expr.Ops.coordinate;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.softmax;
import static ristretto.expr.Ops.where;

import ristretto.expr.Expr;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.F32;
import ristretto.expr.type.Shape;

/** Attention within a sequence that is complete: each token attends to those before it. */
public record WholeSequence(Hyperparameters sizes) implements Attention {
  @Override
  public Expr<F32> of(int layer, Expr<F32> q, Expr<F32> k, Expr<F32> v) {
    long tokens = q.shape().at(0);
    long width = sizes.headWidth();
    Expr<F32> queries =
        q.reshape(tokens, sizes.keyHeads(), sizes.group(), width).permute(1, 2, 0, 3);
    Expr<F32> keys = k.permute(1, 2, 0).unsqueeze(1);
    Expr<F32> values = v.permute(1, 0, 2).unsqueeze(1);
    Shape square = Shape.of(tokens, tokens);
    Expr<BOOL> before = sizes.visible(coordinate(square, 1), coordinate(square, 0));
    Expr<F32> scores = dot(queries, keys).times(1 / Math.sqrt(width));
    Expr<F32> weights = softmax(where(before, scores, -1e30), -1);
    return dot(weights, values).permute(2, 0, 1, 3).reshape(tokens, sizes.heads() * width);
  }
}
