package ristretto.symbolic.optim;

import java.io.Serializable;

/**
 * Step from one average of models to the next (DiLoCo, Douillard et al., 2023): the change of the
 * parameters is taken as a gradient for Nesterov's momentum.
 *
 * @param rate learning rate of averages
 * @param momentum 0 or more, below 1
 */
public record OuterStep(double rate, double momentum) implements Serializable {
  /** Returns true if the average is the result. */
  public boolean isPlain() {
    return rate == 1 && momentum == 0;
  }

  /**
   * Makes the step for a range of parameters.
   *
   * @param before parameters before
   * @param average their average, which is replaced by the result
   * @param from first parameter
   * @param to parameter after the last
   * @param velocity velocities, which change; 0 at the start
   * @param at place of the first parameter's velocity
   */
  public void apply(float[] before, float[] average, int from, int to, float[] velocity, int at) {
    int v = at;
    for (int k = from; k < to; k++, v++) {
      double gradient = (double) before[k] - average[k];
      velocity[v] = (float) (momentum * velocity[v] + gradient);
      average[k] = (float) (before[k] - rate * (gradient + momentum * velocity[v]));
    }
  }
}
