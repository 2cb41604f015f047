package ristretto.symbolic.decode;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.kernels.ShapeException;

/**
 * Best path decoding of networks trained with the CTC loss (Graves et al., 2006): takes the class
 * with the largest score in each time step, collapses repeated classes, and drops blanks; the
 * greedy decoder of PyTorch's tutorials. The most probable path need not belong to the most
 * probable label sequence.
 *
 * <pre>{@code
 * executor.forward();
 * List<int[]> words = BestPath.of(executor.tensor(logits), steps);
 * }</pre>
 */
public final class BestPath {
  private BestPath() {}

  /** Decodes sequences with class 0 as the blank; see {@link #of(Tensor, int[], int)}. */
  public static List<int[]> of(Tensor<?> scores, int[] steps) {
    return of(scores, steps, 0);
  }

  /**
   * Decodes sequences.
   *
   * @param scores logits, log-probabilities or probabilities, {@code [steps, n, classes]}
   * @param steps number of steps of each sequence, {@code n} of them; later steps are not read
   * @param blank class of steps without label
   * @return labels of each sequence; the arrays belong to the caller
   * @throws ShapeException if shapes, steps or blank do not fit, or a score that is read is NaN
   */
  public static List<int[]> of(Tensor<?> scores, int[] steps, int blank) {
    if (scores.shape().rank() != 3 || scores.shape().dim(1) != steps.length) {
      throw new ShapeException(
          ("[bestPath] scores must be [steps, n, classes] with one number of steps for each of the"
                  + " n sequences; got %s and %s numbers; permute or reshape the scores.")
              .formatted(scores.shape(), steps.length));
    }
    long count = scores.shape().dim(0);
    long classes = scores.shape().dim(2);
    if (blank < 0 || blank >= classes) {
      throw new ShapeException(
          "[bestPath] the blank must be one of the classes 0 to %s; got %s."
              .formatted(classes - 1, blank));
    }
    for (int step : steps) {
      if (step < 0 || step > count) {
        throw new ShapeException(
            ("[bestPath] each sequence must have from 0 steps to the number of steps; got %s for %s"
                    + " steps; correct the numbers of steps.")
                .formatted(step, count));
      }
    }
    if (count == 0 || steps.length == 0) {
      return Arrays.stream(steps).mapToObj(_ -> new int[0]).toList();
    }
    requireNumbers(scores, steps);
    long[] best = scores.context().eval(Ops.argMax(scores, 2)).toLongArray();
    var all = new ArrayList<int[]>();
    for (int k = 0; k < steps.length; k++) {
      all.add(collapsed(best, k, steps, blank));
    }
    return List.copyOf(all);
  }

  private static void requireNumbers(Tensor<?> scores, int[] steps) {
    boolean[] missing = scores.context().eval(Ops.any(Ops.isNaN(scores), 2)).toBooleanArray();
    for (int i = 0; i < missing.length; i++) {
      int t = i / steps.length;
      int sequence = i % steps.length;
      if (missing[i] && t < steps[sequence]) {
        throw new ShapeException(
            ("[bestPath] scores must be numbers; got NaN in step %s of sequence %s of %s; check the"
                    + " inputs and the weights.")
                .formatted(t, sequence, scores.shape()));
      }
    }
  }

  private static int[] collapsed(long[] best, int sequence, int[] steps, int blank) {
    var labels = new int[steps[sequence]];
    int length = 0;
    long before = blank;
    for (int t = 0; t < steps[sequence]; t++) {
      long label = best[t * steps.length + sequence];
      if (label != before && label != blank) {
        labels[length++] = Math.toIntExact(label);
      }
      before = label;
    }
    return Arrays.copyOf(labels, length);
  }
}
