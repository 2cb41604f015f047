package ristretto.nnet3.lower;

import static ristretto.expr.Ops.range;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.component.Projection;
import ristretto.nnet3.step.BackwardStep;
import ristretto.nnet3.step.DeviceParameters;

/**
 * Input derivatives of products within recurrences. The share from outside the recurrence is
 * multiplied for all steps at once; each step accumulates the share from within into the same
 * buffer.
 */
final class RecurrentProducts {
  private final DeviceParameters deviceParameters;
  private final Context context;
  private final Steps steps;
  private final NodeDerivatives derivatives;

  /** By node: true if the share from outside the recurrence is not zero, and is in memory. */
  private final Map<Integer, Boolean> begun = new HashMap<>();

  RecurrentProducts(DeviceParameters deviceParameters, Steps steps, NodeDerivatives derivatives) {
    this.deviceParameters = deviceParameters;
    this.context = deviceParameters.context();
    this.steps = steps;
    this.derivatives = derivatives;
  }

  /**
   * Lowers a step.
   *
   * @param reader reader of the node, with memory for the derivatives of all steps
   */
  void lower(Step step, Projection p, NodeReader reader) {
    int node = step.node();
    IntPredicate inside = n -> steps.epoch(n) == steps.epoch(node);
    Tensor<F32> w = deviceParameters.matrix(p.weights());
    boolean adds =
        begun.computeIfAbsent(
            node, _ -> outside(node, inside.negate(), w, p.weights().rows(), reader));
    List<Integer> cuts = derivatives.cuts(node, inside);
    for (int k = 1; k < cuts.size(); k++) {
      long lo = cuts.get(k - 1);
      long hi = cuts.get(k);
      Expr<F32> dy = derivatives.of(node, step.at(), step.rows().size(), lo, hi, inside);
      if (dy != null) {
        for (BackwardStep.Piece piece : reader.pieces()) {
          Tensor<F32> to = FlattenedProduct.rows(step.rowsOf((Tensor<F32>) piece.dx()));
          Expr<F32> product = FlattenedProduct.of(dy, w.slice(range(lo, hi)), piece);
          if (adds) {
            context.assignAdd(to, product);
          } else {
            context.assign(to, product);
          }
        }
        adds = true;
      }
    }
    if (!adds) {
      reader.pieces().forEach(piece -> context.assign(step.rowsOf((Tensor<F32>) piece.dx()), 0));
    }
  }

  /** Assigns the share from outside the recurrence for all steps; returns false if it is zero. */
  private boolean outside(
      int node, IntPredicate outside, Tensor<F32> w, long dim, NodeReader reader) {
    Expr<F32> sum = derivatives.of(node, 0, steps.rows(node).size(), 0, dim, outside);
    if (sum == null) {
      return false;
    }
    Tensor<F32> dy = sum instanceof Tensor<F32> t ? t : context.eval(sum);
    for (BackwardStep.Piece piece : reader.pieces()) {
      context.assign(
          FlattenedProduct.rows((Tensor<F32>) piece.dx()), FlattenedProduct.of(dy, w, piece));
    }
    return true;
  }
}
