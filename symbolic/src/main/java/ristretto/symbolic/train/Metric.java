package ristretto.symbolic.train;

import ristretto.expr.I32;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Variable;

/**
 * A number about many batches, added up where the model runs: the host waits for it only when it
 * asks for {@link #value}. What a metric looks at must be among the outputs of the executor, or one
 * of its inputs.
 */
public abstract class Metric {
  private final boolean higherIsBetter;
  private String name;

  /** A metric that is shown under a name. */
  protected Metric(String name, boolean higherIsBetter) {
    this.name = name;
    this.higherIsBetter = higherIsBetter;
  }

  /** As it is shown. */
  public final String name() {
    return name;
  }

  /** Shows it under another name, such as where several outputs have an accuracy. */
  public final Metric named(String other) {
    this.name = other;
    return this;
  }

  /** Whether training is to raise it. */
  public final boolean higherIsBetter() {
    return higherIsBetter;
  }

  /**
   * Takes the last run into account.
   *
   * @param examples of the batch
   */
  public abstract void update(Executor executor, int examples);

  /** What was seen since the last reset; NaN if that is nothing. */
  public abstract double value();

  /** Forgets everything. */
  public abstract void reset();

  /** Mean of an output over all examples, where each run yields the mean over its own. */
  public static <T> Metric mean(String name, Variable<T> output) {
    return new Mean<>(name, output, false);
  }

  /** {@code exp} of the mean of a loss that is a mean of negative log probabilities. */
  public static <T> Metric perplexity(Variable<T> loss) {
    return new Mean<>("perplexity", loss, true);
  }

  /**
   * Share of the rows whose largest score is at the label.
   *
   * @param scores {@code [..., classes]}
   * @param labels {@code [...]}
   */
  public static <T> Metric accuracy(Variable<T> scores, Variable<I32> labels) {
    return new Hits<>("accuracy", 1, scores, labels);
  }

  /** Share of the rows where fewer than {@code k} scores come before the label's. */
  public static <T> Metric topK(int k, Variable<T> scores, Variable<I32> labels) {
    if (k < 1) {
      throw new ShapeException("[topK] k must be at least 1; got " + k + ".");
    }
    return new Hits<>("top" + k, k, scores, labels);
  }
}
