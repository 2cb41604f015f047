package ristretto.symbolic;

import ristretto.expr.Expr;
import ristretto.expr.I32;
import ristretto.expr.Ops;
import ristretto.kernels.ShapeException;

/** What is to become small, each a single number. */
abstract class LossLayers extends NormLayers {
  LossLayers() {}

  /**
   * Mean over the rows of {@code -log softmax(logits)[label]}; NaN where a label is no class.
   *
   * @param logits {@code [..., classes]}
   * @param labels {@code [...]}, the classes' numbers
   */
  public static <T> Variable<T> softmaxCrossEntropy(Variable<T> logits, Variable<I32> labels) {
    return softmaxCrossEntropy(logits, labels, Summary.MEAN);
  }

  /**
   * The same for all rows together or apart.
   *
   * @param logits {@code [..., classes]}
   * @param labels {@code [...]}, the classes' numbers
   */
  public static <T> Variable<T> softmaxCrossEntropy(
      Variable<T> logits, Variable<I32> labels, Summary summary) {
    return CrossEntropy.ofLabels(logits, labels, summary);
  }

  /** Mean of the squared differences. */
  public static <T> Variable<T> meanSquaredError(Variable<T> a, Variable<T> b) {
    return Layers.apply(
        "meanSquaredError", a.dtype(), x -> Ops.mean(Ops.square(x.get(a).minus(x.get(b)))), a, b);
  }

  /** Mean of the absolute differences. */
  public static <T> Variable<T> meanAbsoluteError(Variable<T> a, Variable<T> b) {
    return Layers.apply(
        "meanAbsoluteError", a.dtype(), x -> Ops.mean(Ops.abs(x.get(a).minus(x.get(b)))), a, b);
  }

  /** Mean of squares of small differences, of magnitudes of those beyond {@code delta}. */
  public static <T> Variable<T> huber(Variable<T> a, Variable<T> b, double delta) {
    if (!(delta > 0)) {
      throw new ShapeException("[huber] delta must be above 0; got " + delta + ".");
    }
    return Layers.apply(
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

  /** Mean of {@code -t log sigmoid(z) - (1 - t) log(1 - sigmoid(z))}, without overflow. */
  public static <T> Variable<T> binaryCrossEntropy(Variable<T> logits, Variable<T> targets) {
    return Layers.apply(
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
   * Mean over the rows of {@code -sum(probabilities * log softmax(logits))}.
   *
   * @param logits {@code [..., classes]}
   * @param probabilities {@code [..., classes]}
   */
  public static <T> Variable<T> softmaxCrossEntropyOf(
      Variable<T> logits, Variable<T> probabilities) {
    return softmaxCrossEntropyOf(logits, probabilities, Summary.MEAN);
  }

  /**
   * The same for all rows together or apart.
   *
   * @param logits {@code [..., classes]}
   * @param probabilities {@code [..., classes]}
   */
  public static <T> Variable<T> softmaxCrossEntropyOf(
      Variable<T> logits, Variable<T> probabilities, Summary summary) {
    return CrossEntropy.of(logits, probabilities, summary);
  }
}
