package ristretto.nnet3.io;

import ristretto.kernels.ShapeException;

/**
 * Weighted classes for each frame: training targets with any number of classes per frame.
 *
 * @param classes classes by frame
 * @param weights weights by frame, one per class
 */
@SuppressWarnings("ArrayRecordComponent")
public record Posterior(int[][] classes, float[][] weights) {
  /** Wraps the arrays without copying them; each class must have a weight. */
  public Posterior {
    boolean same = classes.length == weights.length;
    for (int t = 0; same && t < classes.length; t++) {
      same = classes[t].length == weights[t].length;
    }
    if (!same) {
      throw new ShapeException(
          "[posterior] a frame must have as many weights as classes; got different numbers; give"
              + " one weight per class.");
    }
  }

  /** Creates a posterior with one class of weight 1 per frame. */
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
