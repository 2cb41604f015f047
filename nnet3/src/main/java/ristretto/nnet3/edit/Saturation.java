package ristretto.nnet3.edit;

import ristretto.nnet3.Component;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.activation.SigmoidComponent;
import ristretto.nnet3.component.activation.TanhComponent;
import ristretto.nnet3.component.recurrent.GruNonlinearityComponent;
import ristretto.nnet3.component.recurrent.LstmNonlinearityComponent;
import ristretto.nnet3.component.recurrent.OutputGruNonlinearityComponent;
import ristretto.nnet3.network.Nnet;

/**
 * Mean saturation of the sigmoids and tanhs of a network, from stored statistics: one minus the
 * ratio of the mean derivative to the maximum derivative of the function.
 */
public final class Saturation {
  private static final double SIGMOID = 0.25;
  private static final double TANH = 1;

  private double sum;
  private int count;

  private Saturation() {}

  /** Returns the mean over all functions with statistics: from 0 to 1, and 0 if there are none. */
  public static double of(Nnet nnet) {
    var all = new Saturation();
    nnet.components().values().forEach(all::accept);
    return all.count == 0 ? 0 : all.sum / all.count;
  }

  private void accept(Component component) {
    switch (component) {
      case SigmoidComponent c -> accept(c, SIGMOID);
      case TanhComponent c -> accept(c, TANH);
      case LstmNonlinearityComponent c -> accept(c, SIGMOID, SIGMOID, TANH, SIGMOID, TANH);
      case GruNonlinearityComponent c -> accept(c, TANH);
      case OutputGruNonlinearityComponent c -> accept(c, TANH);
      default -> {}
    }
  }

  /**
   * Adds the functions of a component.
   *
   * @param steepest maximum derivative of each function; the columns of the functions are
   *     concatenated
   */
  private void accept(ComponentBase component, double... steepest) {
    ComponentBase.Gathered slopes = component.gathered("derivs");
    int dim = slopes.sums().length / steepest.length;
    if (slopes.rows() == 0 || dim == 0) {
      return;
    }
    for (int k = 0; k < steepest.length; k++) {
      double slope = 0;
      for (int c = k * dim; c < (k + 1) * dim; c++) {
        slope += slopes.sums()[c];
      }
      sum += 1 - slope / dim / slopes.rows() / steepest[k];
      count++;
    }
  }
}
