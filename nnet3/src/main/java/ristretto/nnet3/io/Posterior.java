package ristretto.nnet3.io;

import ristretto.kernels.ShapeException;

/**
 * Weights of some classes, for each frame: targets of training that are not one class a frame.
 *
 * @param classes by frame
 * @param weights as many as classes, frame by frame
 */
@SuppressWarnings("ArrayRecordComponent")
public record Posterior(int[][] classes, float[][] weights) {
  /** Shares the arrays. */
  public Posterior {
    boolean same = classes.length == weights.length;
    for (int t = 0; same && t < classes.length; t++) {
      same = classes[t].length == weights[t].length;
    }
    if (!same) {
      throw new ShapeException(
          "[posterior] each class of a frame must have a weight; got other numbers of them; give as"
              + " many.");
    }
  }

  /** One class a frame, of weight one. */
  public static Posterior of(int[] alignment) {
    var classes = new int[alignment.length][];
    var weights = new float[alignment.length][];
    for (int t = 0; t < alignment.length; t++) {
      classes[t] = new int[] {alignment[t]};
      weights[t] = new float[] {1};
    }
    return new Posterior(classes, weights);
  }

  /** Number of frames. */
  public int frames() {
    return classes.length;
  }
}
