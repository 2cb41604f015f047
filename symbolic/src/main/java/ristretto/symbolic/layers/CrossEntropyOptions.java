package ristretto.symbolic.layers;

import java.util.Optional;
import java.util.OptionalInt;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Variable;

/**
 * Options of the cross-entropy with class labels: class weights, label smoothing, a label of rows
 * that do not count, and the reduction. Each method returns changed options.
 *
 * <pre>{@code
 * Variable<F32> loss =
 *     softmaxCrossEntropy(scores, labels, CrossEntropyOptions.of().smoothing(0.1).ignore(-100));
 * }</pre>
 */
public final class CrossEntropyOptions {
  private final Optional<Variable<?>> weights;
  private final double smoothing;
  private final OptionalInt ignored;
  private final Summary summary;

  private CrossEntropyOptions(
      Optional<Variable<?>> weights, double smoothing, OptionalInt ignored, Summary summary) {
    this.weights = weights;
    this.smoothing = smoothing;
    this.ignored = ignored;
    this.summary = summary;
  }

  /** Default options: equal weights, no smoothing, every row counts, mean over the rows. */
  public static CrossEntropyOptions of() {
    return new CrossEntropyOptions(Optional.empty(), 0, OptionalInt.empty(), Summary.MEAN);
  }

  /**
   * Weights the loss by class. {@link Summary#MEAN} then divides by the sum of the weights of the
   * rows' labels, as in PyTorch.
   *
   * @param weights {@code [classes]}, of the dtype of the logits
   */
  public CrossEntropyOptions weights(Variable<?> weights) {
    return new CrossEntropyOptions(Optional.of(weights), smoothing, ignored, summary);
  }

  /**
   * Label smoothing (Szegedy et al., 2016): the target is {@code 1 - smoothing} at the label, plus
   * {@code smoothing / classes} at every class.
   *
   * @param smoothing from 0 to 1
   */
  public CrossEntropyOptions smoothing(double smoothing) {
    if (!(smoothing >= 0 && smoothing <= 1)) {
      throw new ShapeException(
          "[softmaxCrossEntropy] label smoothing must be from 0 to 1; got " + smoothing + ".");
    }
    return new CrossEntropyOptions(weights, smoothing, ignored, summary);
  }

  /**
   * Excludes rows with this label, for example of padding: their loss is 0, without gradient, and
   * the mean is over the other rows; it is NaN if there are no others.
   */
  public CrossEntropyOptions ignore(int label) {
    return new CrossEntropyOptions(weights, smoothing, OptionalInt.of(label), summary);
  }

  /** Sets the reduction of the rows' losses. */
  public CrossEntropyOptions summary(Summary summary) {
    return new CrossEntropyOptions(weights, smoothing, ignored, summary);
  }

  Optional<Variable<?>> weights() {
    return weights;
  }

  double smoothing() {
    return smoothing;
  }

  OptionalInt ignored() {
    return ignored;
  }

  Summary summary() {
    return summary;
  }
}
