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
   * Accuracy: share of the rows whose largest score is that of the label.
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
   * Top-k accuracy: share of the rows whose label is among the {@code k} largest scores.
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
}
