package ristretto.symbolic;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import ristretto.expr.BOOL;
import ristretto.expr.Expr;
import ristretto.expr.I32;
import ristretto.expr.Ops;
import ristretto.expr.Shape;
import ristretto.kernels.ShapeException;

/**
 * Cross-entropy {@code -sum(target * log softmax(logits))} over the last axis: one Row kernel
 * forward, followed by a sum or mean, and one Row kernel backward.
 */
final class CrossEntropy<T> extends Operator {
  private final Variable<T> logits;
  private final Optional<Variable<I32>> labels;
  private final Optional<Variable<T>> probabilities;
  private final Summary summary;
  private final Variable<T> output;

  private CrossEntropy(
      Variable<T> logits,
      Optional<Variable<I32>> labels,
      Optional<Variable<T>> probabilities,
      Summary summary) {
    super(
        labels.isPresent() ? "softmaxCrossEntropy" : "softmaxCrossEntropyOf",
        inputs(logits, labels, probabilities));
    this.logits = logits;
    this.labels = labels;
    this.probabilities = probabilities;
    this.summary = summary;
    this.output = output(logits.dtype(), Probe.infer(name(), this::loss, inputs()));
  }

  static <T> Variable<T> ofLabels(Variable<T> logits, Variable<I32> labels, Summary summary) {
    return new CrossEntropy<>(logits, Optional.of(labels), Optional.empty(), summary).output;
  }

  static <T> Variable<T> of(Variable<T> logits, Variable<T> probabilities, Summary summary) {
    return new CrossEntropy<>(logits, Optional.empty(), Optional.of(probabilities), summary).output;
  }

  private static <T> List<Variable<?>> inputs(
      Variable<T> logits, Optional<Variable<I32>> labels, Optional<Variable<T>> probabilities) {
    var all = new ArrayList<Variable<?>>(List.of(logits));
    labels.ifPresent(all::add);
    probabilities.filter(p -> p != logits).ifPresent(all::add);
    return all;
  }

  private Expr<T> loss(Values x) {
    Expr<BOOL> known = labels.isPresent() ? isClass(x) : null;
    Expr<T> products = Ops.logSoftmax(x.get(logits), -1).times(target(x));
    Expr<T> rows = Ops.sum(products, -1).neg();
    return summary.of(known == null ? rows : Ops.where(known, rows, Double.NaN));
  }

  private Expr<BOOL> isClass(Values x) {
    Expr<I32> label = x.get(labels.orElseThrow());
    Shape shape = x.get(logits).shape();
    boolean ofRows = shape.rank() == label.shape().rank() + 1;
    for (int d = 0; ofRows && d < label.shape().rank(); d++) {
      ofRows = label.shape().dim(d) == shape.dim(d);
    }
    if (!ofRows) {
      throw new ShapeException(
          "[labels] there must be one for each row of the logits; got %s for logits %s; drop or add an axis."
              .formatted(label.shape(), shape));
    }
    return label.ge(0).and(label.lt(shape.dim(-1)));
  }

  private Expr<T> target(Values x) {
    if (probabilities.isPresent()) {
      return x.get(probabilities.get());
    }
    long classes = x.get(logits).shape().dim(-1);
    return Ops.oneHot(logits.dtype(), x.get(labels.orElseThrow()), classes);
  }

  @Override
  protected void forward(Executor x) {
    x.assign(output, loss(x));
  }

  @Override
  void onnx(OnnxGraph graph) {
    graph.formula(output, this::loss);
  }

  @Override
  protected void backward(Executor x) {
    Expr<T> z = x.get(logits);
    Expr<T> t = target(x);
    Expr<T> weight =
        switch (summary) {
          case MEAN -> x.gradient(output).div(z.shape().size() / Math.max(1, z.shape().dim(-1)));
          case SUM -> x.gradient(output);
          case NONE -> x.gradient(output).unsqueeze(-1);
        };
    Expr<T> p = Ops.softmax(z, -1);
    // Targets from labels sum to 1; probabilities need not.
    Expr<T> all = labels.isPresent() ? p : p.times(Ops.sum(t, -1).keepDims());
    x.addGradient(logits, all.minus(t).times(weight));
    if (probabilities.isPresent()) {
      x.addGradient(probabilities.get(), Ops.logSoftmax(z, -1).times(weight).neg());
    }
  }
}
