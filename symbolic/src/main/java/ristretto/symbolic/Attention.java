package ristretto.symbolic;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import ristretto.expr.BOOL;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;

/**
 * Scaled dot-product attention (Vaswani et al., 2017): {@code softmax(q k' / sqrt(d)) v}. The
 * weights are kept for the backward pass.
 */
final class Attention<T> extends Operator {
  /** Finite, so that rows in which nothing is visible stay numbers. */
  private static final double INVISIBLE = -1e30;

  private final Variable<T> q;
  private final Variable<T> k;
  private final Variable<T> v;
  private final Optional<Variable<BOOL>> mask;
  private final boolean causal;
  private final Variable<T> output;

  Attention(
      Variable<T> q, Variable<T> k, Variable<T> v, Optional<Variable<BOOL>> mask, boolean causal) {
    super("attention", inputs(q, k, v, mask));
    this.q = q;
    this.k = k;
    this.v = v;
    this.mask = mask;
    this.causal = causal;
    this.output =
        output(q.dtype(), Probe.infer(name(), x -> Ops.dot(weights(x), x.get(v)), inputs()));
  }

  private static List<Variable<?>> inputs(
      Variable<?> q, Variable<?> k, Variable<?> v, Optional<Variable<BOOL>> mask) {
    var all = new ArrayList<Variable<?>>();
    for (Variable<?> in : List.of(q, k, v)) {
      if (!all.contains(in)) {
        all.add(in);
      }
    }
    mask.ifPresent(all::add);
    return all;
  }

  Variable<T> output() {
    return output;
  }

  private double scale(Values x) {
    return 1 / Math.sqrt((double) x.get(q).shape().dim(-1));
  }

  private static <T> Expr<T> transposed(Expr<T> a) {
    int[] axes = new int[a.shape().rank()];
    for (int d = 0; d < axes.length; d++) {
      axes[d] = d;
    }
    axes[axes.length - 1] = axes.length - 2;
    axes[axes.length - 2] = axes.length - 1;
    return a.permute(axes);
  }

  private Expr<T> weights(Values x) {
    Expr<T> scores = Ops.dot(x.get(q), transposed(x.get(k))).times(scale(x));
    if (mask.isEmpty() && !causal) {
      return Ops.softmax(scores, -1);
    }
    return masked(scores, visible(x, scores));
  }

  /** The softmax over what is visible, zeros where nothing is. */
  static <T> Expr<T> masked(Expr<T> scores, Expr<BOOL> visible) {
    return Ops.where(visible, Ops.softmax(Ops.where(visible, scores, INVISIBLE), -1), 0);
  }

  private Expr<BOOL> visible(Values x, Expr<T> scores) {
    if (!causal) {
      return x.get(mask.orElseThrow());
    }
    long rows = scores.shape().dim(-2);
    long columns = scores.shape().dim(-1);
    // Both sequences end together.
    Expr<BOOL> before =
        Ops.mapIndexed(
                Ops.fill(Ops.I64, 0, rows, columns), (none, i) -> i % columns - i / columns + none)
            .le(columns - rows);
    return mask.isPresent() ? before.and(x.get(mask.get())) : before;
  }

  private Tensor<T> kept(Executor x, Expr<T> weights) {
    return x.room("weights", q.dtype(), weights.shape().toArray());
  }

  @Override
  protected void forward(Executor x) {
    Expr<T> weights = weights(x);
    Tensor<T> kept = kept(x, weights);
    x.write(kept, weights);
    x.assign(output, Ops.dot(kept, x.get(v)));
  }

  @Override
  protected void backward(Executor x) {
    Expr<T> dy = x.inMemory(x.gradient(output));
    Tensor<T> p = kept(x, weights(x));
    Expr<T> seen = Ops.dot(p, x.get(v));
    x.addGradients(seen, dy, List.of(v));
    if (!x.wantsGradient(q) && !x.wantsGradient(k)) {
      return;
    }
    Tensor<T> ds = x.room("scores", q.dtype(), p.shape().toArray());
    x.write(ds, Ops.dot(dy, transposed(x.get(v))));
    x.write(ds, p.times(ds.minus(Ops.sum(p.times(ds), -1).keepDims())).times(scale(x)));
    x.addGradients(Ops.dot(x.get(q), transposed(x.get(k))), ds, List.of(q, k));
  }

  @Override
  void onnx(OnnxGraph graph) {
    graph.formula(output, x -> Ops.dot(weights(x), x.get(v)));
  }

  @Override
  protected boolean backwardReads(Variable<?> variable) {
    return variable == q || variable == k || variable == v;
  }
}
