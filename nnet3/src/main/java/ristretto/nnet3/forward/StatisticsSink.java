package ristretto.nnet3.forward;

import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.nnet3.Component;

/**
 * Where statistics of values and of derivatives go, while a program is recorded. A component says
 * sums over rows, under a name, and takes what became of them in a run under the same name.
 */
public interface StatisticsSink {
  /**
   * Sums over rows, to be added to what the component has.
   *
   * @param count of the rows
   */
  void statistics(Component component, String name, Expr<F32> sum, double count);

  /**
   * What sums of the name are on average so far, NaN where there were no rows; null where only what
   * the component itself has counts.
   *
   * @param dim elements of the sums
   */
  default Expr<F32> average(Component component, String name, long dim) {
    return null;
  }
}
