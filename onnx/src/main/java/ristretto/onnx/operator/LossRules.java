package ristretto.onnx.operator;

import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.BOOL;
import ristretto.onnx.call.NodeCall;
import ristretto.onnx.call.Value;

/** Loss functions of classifications. */
final class LossRules {
  private LossRules() {}

  static void addTo(Rules rules) {
    rules.one("NegativeLogLikelihoodLoss", n -> loss(n, n.in(0)));
    rules.add(
        "SoftmaxCrossEntropyLoss",
        n -> {
          Expr<Object> log = Ops.logSoftmax(n.in(0), 1);
          return List.of(Value.of(loss(n, log)), Value.of(log));
        });
  }

  /**
   * Loss of labels {@code [n, d...]} with log-probabilities {@code [n, classes, d...]}; a mean
   * divides by the sum of the weights.
   */
  private static Expr<Object> loss(NodeCall n, Expr<Object> log) {
    Expr<Object> labels = NodeCall.erase(n.in(1).cast(Ops.I64));
    long[] dims = labels.shape().toArray();
    Expr<BOOL> counts = null;
    Expr<Object> at = labels;
    if (n.gives("ignore_index")) {
      counts = labels.ne(n.integer("ignore_index", 0));
      at = Ops.where(counts, labels, NodeCall.number(labels, 0));
    }
    Expr<Object> picked = Ops.takeAlongAxis(log, at.unsqueeze(1), 1).reshape(dims).neg();
    Expr<Object> weight =
        n.has(2) ? Ops.take(n.in(2), at, 0) : NodeCall.erase(Ops.fill(log.dtype(), 1, dims));
    if (counts != null) {
      weight = Ops.where(counts, weight, NodeCall.number(log, 0));
      picked = Ops.where(counts, picked, NodeCall.number(log, 0));
    }
    Expr<Object> each = picked.times(weight);
    String reduction = n.text("reduction", "mean");
    return switch (reduction) {
      case "none" -> each;
      case "sum" -> Ops.sum(each);
      case "mean" -> Ops.sum(each).div(Ops.sum(weight));
      default ->
          throw n.refuse("the reduction must be none, sum or mean", reduction, "Choose another");
    };
  }
}
