package ristretto.nnet3.chain;

import static ristretto.expr.Ops.at;
import static ristretto.expr.Ops.where;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;

/**
 * Chain objective of an output in training steps on minibatches of one size. The host computes the
 * objective and the posteriors of the supervision's arcs; derivatives are expressions of them.
 *
 * <p>Source: Kaldi, {@code nnet3/nnet-chain-training.cc}.
 */
public final class ChainStep {
  private final Context context;
  private final ChainLoss loss;
  private final boolean weighted;
  private final Denominator denominator;

  /** Posteriors of the numerator, {@code f32[frames, sequences, pdfs]}. */
  private final Tensor<F32> numerators;

  /** Weight of the derivative of each row, {@code f32[frames, sequences, 1]}. */
  private final Tensor<F32> rowWeights;

  /** Factors of posteriors, of outputs, of outputs out of range, and of the cross-entropy. */
  private final Tensor<F32> factors;

  private ChainSupervision supervision;

  /**
   * Objectives of a minibatch.
   *
   * @param weight weight of the frames
   * @param objective chain objective
   * @param l2Term penalty on the squares of the outputs
   * @param xent cross-entropy of the twin output; 0 without one
   */
  public record Values(double weight, double objective, double l2Term, double xent) {}

  /**
   * Allocates memory for supervisions of the size of one.
   *
   * @param weighted true to apply the weights of derivatives of the examples
   * @throws ristretto.kernels.ShapeException if the number of pdfs is not that of supervision and
   *     graph
   */
  public ChainStep(
      Context context, ChainLoss loss, ChainExample.Output like, int pdfs, boolean weighted) {
    this.context = context;
    this.loss = loss;
    this.weighted = weighted;
    ChainSupervision first = like.supervision();
    int frames = first.frames();
    int sequences = first.sequences();
    int rows = Math.multiplyExact(sequences, frames);
    loss.check(first, rows, pdfs);
    denominator = loss.denominator(first, pdfs);
    // not context.zeros, which would be recorded
    numerators = context.tensor(new float[Math.multiplyExact(rows, pdfs)], frames, sequences, pdfs);
    rowWeights = context.tensor(new float[rows], frames, sequences, 1);
    factors = context.tensor(new float[4], 4);
    set(like);
  }

  /** Sets the supervision of the next minibatch. */
  public void set(ChainExample.Output output) {
    supervision = output.supervision();
    float[] weights = output.derivativeWeights();
    if (!weighted || weights.length == 0) {
      weights = new float[(int) rowWeights.shape().size()];
      Arrays.fill(weights, 1);
    }
    context.copy(MemorySegment.ofArray(weights), rowWeights);
  }

  /**
   * Computes the objectives of the minibatch, and what its derivatives need.
   *
   * @param output {@code f32[rows, pdfs]}
   * @param twin output for the cross-entropy; null without one
   */
  public Values compute(Tensor<F32> output, Tensor<F32> twin) {
    loss.check(supervision, (int) output.shape().dim(0), (int) output.shape().dim(1));
    ChainLoss.Evaluation e = loss.evaluate(supervision, output);
    float[] posteriors = e.numerator().posteriors();
    loss.arcs.spread(posteriors, numerators);
    ChainOptions options = loss.options();
    double weight = e.fails() ? 0 : supervision.weight();
    // Kaldi applies twice the penalty to outputs out of range, to every other minibatch.
    double range = e.fails() ? 0 : options.outOfRangeRegularize();
    float[] values = {
      (float) weight, (float) e.l2(), (float) range, (float) (weight * options.xentRegularize())
    };
    context.copy(MemorySegment.ofArray(values), factors);
    double xent = 0;
    if (twin != null && weight != 0) {
      float[] logs = loss.arcs.of(twin);
      for (int k = 0; k < logs.length; k++) {
        xent += posteriors[k] == 0 ? 0 : logs[k] * (weight * posteriors[k]);
      }
    }
    return new Values(e.weight(), e.objective(), e.l2Term(), xent);
  }

  /** Derivative of the objective by the output. */
  public Expr<F32> derivative(Tensor<F32> output) {
    // Reshaped last: a transposed operand of two axes would be stored first.
    Expr<F32> x = output.reshape(numerators.shape().toArray());
    return scaled(numerators.minus(denominator.posteriors()), 0)
        .minus(scaled(x, 1))
        .plus(scaled(ChainLoss.beyond(x), 2))
        .times(rowWeights)
        .reshape(output.shape().toArray());
  }

  /** Product with a factor; 0 for a factor of 0 even where values are not finite. */
  private Expr<F32> scaled(Expr<F32> values, int factor) {
    Expr<F32> by = factors.slice(at(factor));
    return where(by.ne(0), values.times(by), 0);
  }

  /** Derivative of the cross-entropy by the twin output. */
  public Expr<F32> xentDerivative() {
    Expr<F32> all = scaled(numerators, 3).times(rowWeights);
    long pdfs = numerators.shape().dim(2);
    return all.reshape(numerators.shape().size() / pdfs, pdfs);
  }
}
