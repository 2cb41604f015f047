package ristretto.symbolic.layers;

import java.util.ArrayList;
import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.I32;
import ristretto.expr.type.Slice;
import ristretto.symbolic.graph.OperatorContext;

/** Recurrent layer unrolled into expressions, for gradients that are differentiated again. */
final class RecurrentFormula<T> {
  private final OperatorContext x;
  private final Cell cell;
  private final RecurrentOperator.Inputs<T> in;
  private final long hidden;
  private final long steps;
  private final long n;

  /** States after each time step. */
  private final List<List<Expr<T>>> states = new ArrayList<>();

  RecurrentFormula(OperatorContext x, Cell cell, RecurrentOperator.Inputs<T> in, boolean reverse) {
    this.x = x;
    this.cell = cell;
    this.in = in;
    this.hidden = in.wh().dims().at(0);
    Expr<T> input = x.get(in.input());
    steps = input.shape().dim(0);
    n = input.shape().dim(1);
    Expr<T> rows = input.reshape(steps * n, -1);
    long width = cell.gates() * hidden;
    Expr<T> products = x.materialize(Ops.dot(rows, x.get(in.wx()))).reshape(steps, n, width);
    List<Expr<T>> last = new ArrayList<>();
    for (int k = 0; k < cell.states(); k++) {
      last.add(
          in.initial().isEmpty()
              ? Ops.fill(in.input().dtype(), 0, n, hidden)
              : x.get(in.initial().get(k)));
    }
    for (long s = 0; s < steps; s++) {
      long t = reverse ? steps - 1 - s : s;
      last = next(products.slice(Ops.at(t)), last, t);
      states.add(reverse ? 0 : states.size(), last);
    }
  }

  private List<Expr<T>> next(Expr<T> product, List<Expr<T>> last, long t) {
    Expr<T> ofLast = x.materialize(Ops.dot(last.get(0), x.get(in.wh())));
    List<Expr<T>> next =
        cell.separate()
            ? cell.next(
                gates(product, x.get(in.bias())),
                gates(ofLast, x.get(in.lastBias().orElseThrow())),
                last)
            : cell.next(gates(product.plus(ofLast), x.get(in.bias())), List.of(), last);
    var kept = new ArrayList<Expr<T>>();
    for (int k = 0; k < next.size(); k++) {
      Expr<T> state = next.get(k);
      kept.add(
          x.materialize(in.lengths().isEmpty() ? state : Ops.where(counts(t), state, last.get(k))));
    }
    return kept;
  }

  private List<Expr<T>> gates(Expr<T> products, Expr<T> bias) {
    var gates = new ArrayList<Expr<T>>();
    for (int g = 0; g < cell.gates(); g++) {
      Slice own = Ops.range(g * hidden, (g + 1) * hidden);
      gates.add(products.slice(Ops.all(), own).plus(bias.slice(own)));
    }
    return gates;
  }

  private Expr<BOOL> counts(long t) {
    Expr<I32> lengths = x.get(in.lengths().orElseThrow());
    return lengths.reshape(n, 1).gt(t);
  }

  /**
   * Returns the outputs of all steps, {@code [steps, n, hidden]}; zeros beyond a sequence's length.
   */
  Expr<T> all() {
    var outputs = new ArrayList<Expr<T>>();
    for (List<Expr<T>> state : states) {
      Expr<T> y = state.get(0);
      boolean whole = in.lengths().isEmpty();
      outputs.add((whole ? y : Ops.where(counts(outputs.size()), y, 0)).unsqueeze(0));
    }
    return Ops.concat(0, outputs);
  }

  /**
   * Returns a state after the last processed step, which is time step 0 if the layer runs in
   * reverse.
   */
  Expr<T> last(int state, boolean reverse) {
    return states.get(reverse ? 0 : states.size() - 1).get(state);
  }
}
