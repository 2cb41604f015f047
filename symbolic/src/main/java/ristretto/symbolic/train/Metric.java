package ristretto.symbolic.train;

import java.util.OptionalInt;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;

/**
 * Number that summarizes many batches, accumulated on the device: the host waits only in {@link
 * #value}. The variables that a metric reads must be outputs or inputs of the executor.
 */
public abstract class Metric {
  private final boolean higherIsBetter;
  private String name;

  /**
   * Creates a metric.
   *
   * @param name name in logs and reports
   * @param higherIsBetter true if larger values are better
   */
  protected Metric(String name, boolean higherIsBetter) {
    this.name = name;
    this.higherIsBetter = higherIsBetter;
  }

  /** Returns the name in logs and reports. */
  public final String name() {
    return name;
  }

  /**
   * Renames the metric, for example if several outputs have an accuracy.
   *
   * @return this
   */
  public final Metric named(String other) {
    this.name = other;
    return this;
  }

  /** Returns true if larger values are better. */
  public final boolean higherIsBetter() {
    return higherIsBetter;
  }

  /**
   * Accumulates the last run.
   *
   * @param examples batch size
   */
  public abstract void update(Executor executor, int examples);

  /** Returns the value since the last reset; NaN if there were no examples. */
  public abstract double value();

  /** Resets the metric. */
  public abstract void reset();

  /** Mean of an output over all examples, given that each run yields the mean over its batch. */
  public static <T> Metric mean(String name, Variable<T> output) {
    return new MeanMetric<>(name, output, false);
  }

  /** Perplexity: {@code exp} of a loss that is a mean of negative log probabilities. */
  public static <T> Metric perplexity(Variable<T> loss) {
    return new MeanMetric<>("perplexity", loss, true);
  }

  /**
   * Accuracy: share of the rows whose largest score is that of the label. A label that is no class
   * makes {@link #value} an error.
   *
   * @param scores {@code [..., classes]}
   * @param labels {@code [...]}
   */
  public static <T> Metric accuracy(Variable<T> scores, Variable<I32> labels) {
    return new TopKAccuracy<>("accuracy", 1, scores, labels, OptionalInt.empty());
  }

  /**
   * Accuracy over the rows whose label is not a given one, for example of padding: share of these
   * rows whose largest score is that of the label.
   *
   * @param scores {@code [..., classes]}
   * @param labels {@code [...]}
   * @param ignored label of rows that do not count
   */
  public static <T> Metric accuracy(Variable<T> scores, Variable<I32> labels, int ignored) {
    return new TopKAccuracy<>("accuracy", 1, scores, labels, OptionalInt.of(ignored));
  }

  /**
   * Accuracy of binary targets: share of the elements whose logit is above 0 if and only if the
   * target is above 0.5.
   *
   * @param logits inputs of {@code binaryCrossEntropy}, before a sigmoid
   * @param targets 0 or 1, in the shape of the logits
   */
  public static <T> Metric binaryAccuracy(Variable<T> logits, Variable<T> targets) {
    return new BinaryAccuracy<>(logits, targets);
  }

  /**
   * Top-k accuracy: share of the rows whose label is among the {@code k} largest scores. A label
   * that is no class makes {@link #value} an error.
   *
   * @param scores {@code [..., classes]}
   * @param labels {@code [...]}
   */
  public static <T> Metric topK(int k, Variable<T> scores, Variable<I32> labels) {
    if (k < 1) {
      throw new ShapeException("[topK] k must be at least 1; got " + k + ".");
    }
    return new TopKAccuracy<>("top" + k, k, scores, labels, OptionalInt.empty());
  }

  /**
   * Macro-averaged F1: mean over the classes of {@code 2 precision recall / (precision + recall)}.
   *
   * @param scores {@code [..., classes]}
   * @param labels {@code [...]}
   */
  public static Metric f1(Variable<?> scores, Variable<I32> labels) {
    return f1(scores, labels, Average.MACRO);
  }

  /** F1 with a given average over the classes; see {@link #f1(Variable, Variable)}. */
  public static Metric f1(Variable<?> scores, Variable<I32> labels, Average average) {
    return new ClassScore("f1", ClassScore.Kind.F1, average, scores, labels);
  }

  /** Precision: share of the rows predicted as a class that have its label. */
  public static Metric precision(Variable<?> scores, Variable<I32> labels, Average average) {
    return new ClassScore("precision", ClassScore.Kind.PRECISION, average, scores, labels);
  }

  /** Recall: share of the rows with the label of a class that are predicted as this class. */
  public static Metric recall(Variable<?> scores, Variable<I32> labels, Average average) {
    return new ClassScore("recall", ClassScore.Kind.RECALL, average, scores, labels);
  }

  /**
   * F1 of binary targets; logits above 0 are predictions of 1.
   *
   * @param logits inputs of {@code binaryCrossEntropy}, before a sigmoid
   * @param targets 0 or 1, in the shape of the logits
   */
  public static <T> Metric binaryF1(Variable<T> logits, Variable<T> targets) {
    return new BinaryScores<>(logits, targets, false);
  }

  /**
   * Area under the ROC curve of binary targets, exact for equal scores; NaN without targets of both
   * kinds. Keeps all scores of an epoch in memory.
   *
   * @param scores logits or probabilities
   * @param targets 0 or 1, in the shape of the scores
   */
  public static <T> Metric auc(Variable<T> scores, Variable<T> targets) {
    return new BinaryScores<>(scores, targets, true);
  }

  /** Mean absolute error of a regression; outputs and targets have one shape. */
  public static <T> Metric meanAbsoluteError(Variable<T> output, Variable<T> targets) {
    return new RegressionError<>("mae", RegressionError.Kind.MEAN_ABSOLUTE, output, targets);
  }

  /** Root mean squared error of a regression; outputs and targets have one shape. */
  public static <T> Metric rootMeanSquaredError(Variable<T> output, Variable<T> targets) {
    return new RegressionError<>("rmse", RegressionError.Kind.ROOT_MEAN_SQUARE, output, targets);
  }

  /**
   * Coefficient of determination of a regression: 1 - squared error / variance of the targets;
   * outputs and targets have one shape.
   */
  public static <T> Metric r2(Variable<T> output, Variable<T> targets) {
    return new RegressionError<>("r2", RegressionError.Kind.DETERMINATION, output, targets);
  }

  /**
   * Expected calibration error (Guo et al., 2017) with 15 bins: mean distance between the
   * probability of the predicted class and the accuracy.
   *
   * @param logits {@code [..., classes]}, before a softmax
   * @param labels {@code [...]}
   */
  public static <T> Metric calibrationError(Variable<T> logits, Variable<I32> labels) {
    return calibrationError(logits, labels, 15);
  }

  /** Expected calibration error with a number of bins; see the other method. */
  public static <T> Metric calibrationError(Variable<T> logits, Variable<I32> labels, int bins) {
    if (bins < 1) {
      throw new ShapeException("[calibration] there must be at least 1 bin; got " + bins + ".");
    }
    return new CalibrationError<>(logits, labels, bins);
  }
}
