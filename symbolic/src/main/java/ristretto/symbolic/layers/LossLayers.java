package ristretto.symbolic.layers;

import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Variable;

/** Loss functions; each returns a scalar, or one loss per row on request. */
public abstract class LossLayers extends NormLayers {
  /** Prevents instances; {@code Layers} inherits the functions. */
  protected LossLayers() {}

  /**
   * Mean cross-entropy over the rows, {@code -log softmax(logits)[label]}; NaN if a label is out of
   * range.
   *
   * @param logits {@code [..., classes]}
   * @param labels {@code [...]}, class numbers
   */
  public static <T> Variable<T> softmaxCrossEntropy(Variable<T> logits, Variable<I32> labels) {
    return softmaxCrossEntropy(logits, labels, Summary.MEAN);
  }

  /**
   * Cross-entropy of class labels, {@code -log softmax(logits)[label]}, summarized over the rows or
   * one loss per row.
   *
   * @param logits {@code [..., classes]}
   * @param labels {@code [...]}, class numbers
   */
  public static <T> Variable<T> softmaxCrossEntropy(
      Variable<T> logits, Variable<I32> labels, Summary summary) {
    return CrossEntropy.ofLabels(logits, labels, summary);
  }

  /** Mean squared error. */
  public static <T> Variable<T> meanSquaredError(Variable<T> a, Variable<T> b) {
    return apply(
        "meanSquaredError", a.dtype(), x -> Ops.mean(Ops.square(x.get(a).minus(x.get(b)))), a, b);
  }

  /** Mean absolute error. */
  public static <T> Variable<T> meanAbsoluteError(Variable<T> a, Variable<T> b) {
    return apply(
        "meanAbsoluteError", a.dtype(), x -> Ops.mean(Ops.abs(x.get(a).minus(x.get(b)))), a, b);
  }

  /**
   * Huber loss: {@code d^2 / 2} for {@code |d| <= delta}, {@code delta (|d| - delta / 2)} beyond,
   * averaged over all elements.
   */
  public static <T> Variable<T> huber(Variable<T> a, Variable<T> b, double delta) {
    if (!(delta > 0)) {
      throw new ShapeException("[huber] delta must be above 0; got " + delta + ".");
    }
    return apply(
        "huber",
        a.dtype(),
        x -> {
          Expr<T> d = Ops.abs(x.get(a).minus(x.get(b)));
          Expr<T> far = d.minus(delta / 2).times(delta);
          return Ops.mean(Ops.where(d.le(delta), d.times(d).times(0.5), far));
        },
        a,
        b);
  }

  /**
   * Mean binary cross-entropy of logits, {@code -t log sigmoid(z) - (1 - t) log(1 - sigmoid(z))},
   * without overflow.
   */
  public static <T> Variable<T> binaryCrossEntropy(Variable<T> logits, Variable<T> targets) {
    return apply(
        "binaryCrossEntropy",
        logits.dtype(),
        x -> {
          Expr<T> z = x.get(logits);
          Expr<T> t = x.get(targets);
          Expr<T> rest = Ops.scalar(t.dtype(), 1).minus(t);
          return Ops.mean(t.times(Ops.softplus(z.neg())).plus(rest.times(Ops.softplus(z))));
        },
        logits,
        targets);
  }

  /**
   * Mean cross-entropy over the rows with target distributions, {@code -sum(probabilities * log
   * softmax(logits))}.
   *
   * @param logits {@code [..., classes]}
   * @param probabilities {@code [..., classes]}
   */
  public static <T> Variable<T> softmaxCrossEntropyOf(
      Variable<T> logits, Variable<T> probabilities) {
    return softmaxCrossEntropyOf(logits, probabilities, Summary.MEAN);
  }

  /**
   * Cross-entropy with target distributions, {@code -sum(probabilities * log softmax(logits))},
   * summarized over the rows or one loss per row.
   *
   * @param logits {@code [..., classes]}
   * @param probabilities {@code [..., classes]}
   */
  public static <T> Variable<T> softmaxCrossEntropyOf(
      Variable<T> logits, Variable<T> probabilities, Summary summary) {
    return CrossEntropy.of(logits, probabilities, summary);
  }
}
