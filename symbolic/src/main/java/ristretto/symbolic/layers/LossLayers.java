package ristretto.symbolic.layers;

import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.automaton.AutomatonInput;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.operator.CheckedFormula;
import ristretto.symbolic.layers.operator.ClassLabels;
import ristretto.symbolic.layers.operator.Ctc;
import ristretto.symbolic.layers.operator.PathSums;

/** Loss functions; each returns a scalar, or one loss per row on request. */
public abstract class LossLayers extends SimilarityLosses {
  /** Prevents instances; {@code Layers} inherits the functions. */
  protected LossLayers() {}

  /**
   * Mean cross-entropy over the rows, {@code -log softmax(logits)[label]}. A label out of range is
   * an error of the run if the labels are an input, in any shape; if they are computed, the loss is
   * NaN.
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

  /**
   * Cross-entropy of class labels with class weights, label smoothing or ignored rows.
   *
   * @param logits {@code [..., classes]}
   * @param labels {@code [...]}, class numbers
   */
  public static <T> Variable<T> softmaxCrossEntropy(
      Variable<T> logits, Variable<I32> labels, CrossEntropyOptions options) {
    return WeightedCrossEntropy.of(logits, labels, options);
  }

  /** Focal loss of class labels, mean over the rows. */
  public static <T> Variable<T> focal(Variable<T> logits, Variable<I32> labels, double gamma) {
    return focal(logits, labels, gamma, Summary.MEAN);
  }

  /**
   * Focal loss (Lin et al., 2017) of class labels, {@code -(1 - p)^gamma log p} for the probability
   * p of the label by softmax; labels out of range as for {@link #softmaxCrossEntropy(Variable,
   * Variable)}.
   *
   * @param logits {@code [..., classes]}
   * @param labels {@code [...]}, class numbers
   * @param gamma weight of hard examples, at least 0; 0 is the cross-entropy
   */
  public static <T> Variable<T> focal(
      Variable<T> logits, Variable<I32> labels, double gamma, Summary summary) {
    requireGamma("focal", gamma);
    CrossEntropy.requireLogits("focal", logits);
    return new CheckedFormula<>(
            "focal",
            logits.dtype(),
            x -> ClassLabels.require(x, "focal", logits, labels, OptionalInt.empty()),
            x -> {
              Expr<T> z = x.get(logits);
              Expr<I32> label = x.get(labels);
              Expr<BOOL> isClass = CrossEntropy.isClass(label, z.shape());
              Expr<BOOL> own = Ops.coordinate(z.shape(), -1).eq(label.cast(Ops.I64).unsqueeze(-1));
              // log(1 - p) from the other classes has all digits, also for p near 1.
              Expr<T> all = Ops.logSumExp(z, -1);
              Expr<T> others = Ops.logSumExp(Ops.where(own, Double.NEGATIVE_INFINITY, z), -1);
              Expr<T> loss = all.minus(Ops.sum(Ops.where(own, z, 0), -1));
              Expr<T> weighted = Ops.exp(others.minus(all).times(gamma)).times(loss);
              return summary.of(Ops.where(isClass, weighted, Double.NaN));
            },
            List.of(logits, labels))
        .output();
  }

  /**
   * Mean focal loss (Lin et al., 2017) of binary targets, {@code -t (1 - p)^gamma log p - (1 - t)
   * p^gamma log(1 - p)} with {@code p = sigmoid(z)}, without overflow.
   *
   * @param targets 0 or 1, in the shape of the logits
   * @param gamma weight of hard examples, at least 0; 0 is the binary cross-entropy
   */
  public static <T> Variable<T> binaryFocal(Variable<T> logits, Variable<T> targets, double gamma) {
    return binaryFocal(logits, targets, gamma, 1, 1);
  }

  /**
   * Mean focal loss of binary targets, with the factor {@code alpha} for targets of 1 and {@code 1
   * - alpha} for targets of 0.
   *
   * @param targets 0 or 1, in the shape of the logits
   * @param gamma weight of hard examples, at least 0
   * @param alpha from 0 to 1, for example 0.25
   */
  public static <T> Variable<T> binaryFocal(
      Variable<T> logits, Variable<T> targets, double gamma, double alpha) {
    if (!(alpha >= 0 && alpha <= 1)) {
      throw new ShapeException("[binaryFocal] alpha must be from 0 to 1; got " + alpha + ".");
    }
    return binaryFocal(logits, targets, gamma, alpha, 1 - alpha);
  }

  private static <T> Variable<T> binaryFocal(
      Variable<T> logits, Variable<T> targets, double gamma, double ones, double zeros) {
    requireGamma("binaryFocal", gamma);
    CrossEntropy.requireLogits("binaryFocal", logits);
    return apply(
        "binaryFocal",
        logits.dtype(),
        x -> {
          Expr<T> z = x.get(logits);
          Expr<T> t = x.get(targets);
          requireSame("binaryFocal", z, t);
          Expr<T> one = Ops.softplus(z.neg());
          Expr<T> zero = Ops.softplus(z);
          Expr<T> hit = one.times(Ops.exp(zero.times(-gamma))).times(ones);
          Expr<T> miss = zero.times(Ops.exp(one.times(-gamma))).times(zeros);
          return Ops.mean(t.times(hit).plus(t.neg().plus(1).times(miss)));
        },
        logits,
        targets);
  }

  private static void requireGamma(String op, double gamma) {
    if (!(gamma >= 0)) {
      throw new ShapeException("[" + op + "] gamma must be at least 0; got " + gamma + ".");
    }
  }

  /** Mean squared error of inputs of the same shape; one may be a scalar. */
  public static <T> Variable<T> meanSquaredError(Variable<T> a, Variable<T> b) {
    return apply(
        "meanSquaredError",
        a.dtype(),
        x -> Ops.mean(Ops.square(difference("meanSquaredError", x.get(a), x.get(b)))),
        a,
        b);
  }

  private static <T> Expr<T> difference(String op, Expr<T> a, Expr<T> b) {
    SimilarityLosses.requireSameOrScalar(op, a, b);
    return a.minus(b);
  }

  /** Mean absolute error of inputs of the same shape; one may be a scalar. */
  public static <T> Variable<T> meanAbsoluteError(Variable<T> a, Variable<T> b) {
    return apply(
        "meanAbsoluteError",
        a.dtype(),
        x -> Ops.mean(Ops.abs(difference("meanAbsoluteError", x.get(a), x.get(b)))),
        a,
        b);
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
          Expr<T> d = Ops.abs(difference("huber", x.get(a), x.get(b)));
          Expr<T> far = d.minus(delta / 2).times(delta);
          return Ops.mean(Ops.where(d.le(delta), d.times(d).times(0.5), far));
        },
        a,
        b);
  }

  /**
   * Mean binary cross-entropy of logits, {@code -t log sigmoid(z) - (1 - t) log(1 - sigmoid(z))},
   * without overflow.
   *
   * @param targets of the shape of the logits, or a scalar
   */
  public static <T> Variable<T> binaryCrossEntropy(Variable<T> logits, Variable<T> targets) {
    CrossEntropy.requireLogits("binaryCrossEntropy", logits);
    return apply(
        "binaryCrossEntropy",
        logits.dtype(),
        x -> {
          Expr<T> z = x.get(logits);
          Expr<T> t = x.get(targets);
          SimilarityLosses.requireSameOrScalar("binaryCrossEntropy", z, t);
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

  /**
   * Connectionist temporal classification (Graves et al., 2006) with class 0 as the blank: loss of
   * label sequences without alignment to the steps. The loss of each sequence is divided by the
   * number of its labels, then averaged, as in PyTorch.
   *
   * @param logits scores before a softmax, {@code [steps, n, classes]}, as output by a recurrent
   *     network; PyTorch's {@code ctc_loss} takes the log-probabilities
   * @param labels {@code [n, most]}; those beyond a sequence's length are not read
   * @param steps number of steps of each sequence, {@code [n]}
   * @param lengths number of labels of each sequence, {@code [n]}
   */
  public static <T> Variable<T> ctc(
      Variable<T> logits, Variable<I32> labels, Variable<I32> steps, Variable<I32> lengths) {
    return ctc(logits, labels, steps, lengths, 0, false, Summary.MEAN);
  }

  /**
   * Connectionist temporal classification with options; see the other method. A label, not counting
   * the blank, or a length out of range is an error of the run if labels and lengths are inputs; if
   * they are computed, the loss is NaN.
   *
   * @param blank class of steps without label
   * @param zeroInfinity true for losses of 0, without gradient, where a sequence has too few steps
   *     for its labels; otherwise, they are infinite
   */
  public static <T> Variable<T> ctc(
      Variable<T> logits,
      Variable<I32> labels,
      Variable<I32> steps,
      Variable<I32> lengths,
      int blank,
      boolean zeroInfinity,
      Summary summary) {
    Variable<T> each = new Ctc<>(logits, labels, steps, lengths, blank, zeroInfinity).losses();
    return apply(
        "ctc." + summary.name().toLowerCase(Locale.ROOT),
        logits.dtype(),
        x -> {
          Expr<T> y = x.get(each);
          Expr<T> count = Ops.max(x.get(lengths), 1.0).cast(logits.dtype());
          return summary.of(summary == Summary.MEAN ? y.div(count) : y);
        },
        each,
        lengths);
  }

  /**
   * Lattice-free maximum mutual information (Povey et al., 2016), the objective of Kaldi's chain
   * models: negative logarithm of the sum over the paths of a supervision, less that over all paths
   * of a graph, per step and averaged over the sequences. Jumps in the graph have the coefficient
   * 1e-5.
   *
   * @param logits scores without a softmax, {@code [steps, n, classes]}
   * @param supervision an automaton for each sequence
   * @param graph the automaton of all sequences of classes, or one for each sequence
   */
  public static <T> Variable<T> lfmmi(
      Variable<T> logits, AutomatonInput<T> supervision, AutomatonInput<T> graph) {
    return lfmmi(logits, supervision, graph, 1e-5, Summary.MEAN);
  }

  /**
   * Lattice-free maximum mutual information with options; see the other method. The loss of a
   * sequence without a path of its length is infinite, and has no gradient.
   *
   * @param leaky coefficient of jumps between the states of the graph, at least 0 and below 1
   */
  public static <T> Variable<T> lfmmi(
      Variable<T> logits,
      AutomatonInput<T> supervision,
      AutomatonInput<T> graph,
      double leaky,
      Summary summary) {
    if (!(leaky >= 0 && leaky < 1)) {
      throw new ShapeException(
          "[lfmmi] the coefficient of jumps must be at least 0 and below 1; got %s."
              .formatted(leaky));
    }
    Variable<T> wanted = new PathSums<>(logits, supervision, 0).totals();
    Variable<T> all = new PathSums<>(logits, graph, leaky).totals();
    return apply(
        "lfmmi." + summary.name().toLowerCase(Locale.ROOT),
        logits.dtype(),
        x -> {
          Expr<T> of = x.get(wanted);
          long steps = x.get(logits).shape().dim(0);
          Expr<T> loss = x.get(all).minus(of).div(steps);
          return summary.of(Ops.where(of.gt(PathSums.NEVER / 2), loss, Double.POSITIVE_INFINITY));
        },
        wanted,
        all,
        logits);
  }
}
