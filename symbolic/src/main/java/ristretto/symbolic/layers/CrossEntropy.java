package ristretto.symbolic.layers;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.dim.UnknownDims;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.I32;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Operator;
import ristretto.symbolic.graph.OperatorContext;
import ristretto.symbolic.graph.Values;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.graph.Views;
import ristretto.symbolic.layers.operator.ClassLabels;
import ristretto.symbolic.onnx.export.OnnxGraph;
import ristretto.symbolic.onnx.export.OnnxOperator;

/**
 * Cross-entropy {@code -sum(target * log softmax(logits))} over the last axis: one Row kernel
 * forward, followed by a sum or mean, and one Row kernel backward.
 */
final class CrossEntropy<T> extends Operator implements OnnxOperator {
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
    this.output = output(logits.dtype(), this::loss);
  }

  /**
   * Throws if a variable is the output of softmax or sigmoid, which the losses of logits apply
   * themselves. The result of applying one twice is finite, with small gradients.
   */
  static void requireLogits(String op, Variable<?> logits) {
    String applied = activation(logits);
    if (applied.equals("softmax") || applied.equals("sigmoid")) {
      throw new ShapeException(
          ("[%s] the loss must be of logits, since it applies softmax or sigmoid itself; got %s,"
                  + " which are probabilities; leave %s out.")
              .formatted(op, logits, applied));
    }
  }

  /** Returns the name of the operator that computes the elements of a variable, or "". */
  static String activation(Variable<?> v) {
    Variable<?> of = Views.origin(v);
    return of.owner() == null ? "" : of.owner().name();
  }

  static <T> Variable<T> ofLabels(Variable<T> logits, Variable<I32> labels, Summary summary) {
    requireLogits("softmaxCrossEntropy", logits);
    return new CrossEntropy<>(logits, Optional.of(labels), Optional.empty(), summary).output;
  }

  static <T> Variable<T> of(Variable<T> logits, Variable<T> probabilities, Summary summary) {
    requireLogits("softmaxCrossEntropyOf", logits);
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
    Expr<BOOL> known =
        labels.isPresent() ? isClass(x.get(labels.get()), x.get(logits).shape()) : null;
    Expr<T> products = Ops.logSoftmax(x.get(logits), -1).times(target(x));
    Expr<T> rows = Ops.sum(products, -1).neg();
    return summary.of(known == null ? rows : Ops.where(known, rows, Double.NaN));
  }

  /**
   * Returns true for each label that is a class of logits.
   *
   * @param label {@code [...]}
   * @param shape shape of the logits, {@code [..., classes]}
   */
  static Expr<BOOL> isClass(Expr<I32> label, Shape shape) {
    boolean ofRows = shape.rank() == label.shape().rank() + 1;
    for (int d = 0; ofRows && d < label.shape().rank(); d++) {
      ofRows = UnknownDims.canEqual(label.shape().at(d), shape.at(d));
    }
    if (!ofRows) {
      throw new ShapeException(
          "[labels] labels must have one entry per row of the logits; got %s for logits %s; %s."
              .formatted(label.shape(), shape, remedy(label.shape(), shape)));
    }
    for (int d = 0; d < label.shape().rank(); d++) {
      UnknownDims.equal(label.shape().at(d), shape.at(d));
    }
    return label.ge(0).and(label.lt(shape.at(shape.rank() - 1)));
  }

  private static String remedy(Shape labels, Shape logits) {
    if (logits.rank() != labels.rank() + 1) {
      return "drop or add an axis";
    }
    boolean isSecond = logits.rank() > 2 && UnknownDims.canEqual(labels.at(0), logits.at(0));
    for (int d = 1; isSecond && d < labels.rank(); d++) {
      isSecond = UnknownDims.canEqual(labels.at(d), logits.at(d + 1));
    }
    return isSecond
        ? "move the axis of the classes, the second one, to the end with permute"
        : "set the labels of the same batch, or run the logits alone, with"
            + " executor.sharing(logits)";
  }

  private Expr<T> target(Values x) {
    if (probabilities.isPresent()) {
      Expr<T> p = x.get(probabilities.get());
      if (!p.shape().canEqual(x.get(logits).shape())) {
        throw new ShapeException(
            ("[probabilities] target distributions must have the shape of the logits; got %s for"
                    + " %s; labels of classes are for softmaxCrossEntropy.")
                .formatted(p.shape(), x.get(logits).shape()));
      }
      return p;
    }
    Shape shape = x.get(logits).shape();
    long classes = shape.at(shape.rank() - 1);
    return Ops.oneHot(logits.dtype(), x.get(labels.orElseThrow()), classes);
  }

  @Override
  protected void forward(OperatorContext x) {
    labels.ifPresent(l -> ClassLabels.require(x, name(), logits, l, OptionalInt.empty()));
    x.assign(output, loss(x));
  }

  @Override
  public void onnx(OnnxGraph graph) {
    graph.formula(output, this::loss);
  }

  @Override
  protected void backward(OperatorContext x) {
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
