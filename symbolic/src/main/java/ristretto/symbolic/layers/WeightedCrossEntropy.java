package ristretto.symbolic.layers;

import java.util.ArrayList;
import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.dim.UnknownDims;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.I32;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Values;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.operator.CheckedFormula;
import ristretto.symbolic.layers.operator.ClassLabels;

/** Cross-entropy of class labels with {@link CrossEntropyOptions}; the gradient is derived. */
final class WeightedCrossEntropy<T> {
  private static final String OP = "softmaxCrossEntropy";

  private final Variable<T> logits;
  private final Variable<I32> labels;
  private final CrossEntropyOptions options;

  private WeightedCrossEntropy(
      Variable<T> logits, Variable<I32> labels, CrossEntropyOptions options) {
    this.logits = logits;
    this.labels = labels;
    this.options = options;
  }

  static <T> Variable<T> of(Variable<T> logits, Variable<I32> labels, CrossEntropyOptions options) {
    CrossEntropy.requireLogits(OP, logits);
    var inputs = new ArrayList<Variable<?>>(List.of(logits, labels));
    options
        .weights()
        .ifPresent(w -> {
          if (w.dtype() != (Object) logits.dtype()) {
            throw new ShapeException(
                "[softmaxCrossEntropy] weights must have the dtype of the logits; got %s for %s."
                    .formatted(w, logits));
          }
          inputs.add(w);
        });
    var loss = new WeightedCrossEntropy<>(logits, labels, options);
    return new CheckedFormula<>(
            OP,
            logits.dtype(),
            x -> ClassLabels.require(x, OP, logits, labels, options.ignored()),
            loss::loss,
            inputs)
        .output();
  }

  private Expr<T> loss(Values x) {
    Expr<T> z = x.get(logits);
    Expr<I32> label = x.get(labels);
    Expr<BOOL> isClass = CrossEntropy.isClass(label, z.shape());
    Shape shape = z.shape();
    long classes = shape.at(shape.rank() - 1);
    Expr<T> target = Ops.oneHot(z.dtype(), label, classes);
    Expr<T> weights = null;
    if (options.weights().isPresent()) {
      weights = weights(x, classes);
      target = target.times(weights);
    }
    Expr<T> log = Ops.logSoftmax(z, -1);
    Expr<T> rows = Ops.sum(target.times(log), -1).neg();
    if (options.smoothing() > 0) {
      Expr<T> all = weights == null ? log : log.times(weights);
      rows =
          rows.times(1 - options.smoothing()).minus(Ops.mean(all, -1).times(options.smoothing()));
    }
    rows = Ops.where(isClass, rows, Double.NaN);
    Expr<T> counts = weights == null ? null : Ops.sum(target, -1);
    if (options.ignored().isPresent()) {
      Expr<BOOL> kept = label.ne(options.ignored().getAsInt());
      rows = Ops.where(kept, rows, 0);
      counts = counts == null ? kept.cast(z.dtype()) : Ops.where(kept, counts, 0);
    }
    return options.summary() == Summary.MEAN && counts != null
        ? Ops.sum(rows).div(Ops.sum(counts))
        : options.summary().of(rows);
  }

  private Expr<T> weights(Values x, long classes) {
    @SuppressWarnings("unchecked")
    Expr<T> w = (Expr<T>) x.get(options.weights().orElseThrow());
    if (w.shape().rank() != 1 || !UnknownDims.canEqual(w.shape().at(0), classes)) {
      throw new ShapeException(
          "[weights] weights must have one entry per class; got %s for logits %s."
              .formatted(w.shape(), x.get(logits).shape()));
    }
    return w;
  }
}
