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
   * Sums of a name so far in training, and of how many rows; null where only what the component
   * itself has counts. There may have been none.
   *
   * @param dim elements of the sums
   * @param withThisStep whether those count that were said in this step; else only those of the
   *     steps before
   */
  default Totals totals(Component component, String name, long dim, boolean withThisStep) {
    return null;
  }

  /**
   * Sums and how many rows they are of, one number.
   *
   * @param sums by column
   */
  record Totals(Expr<F32> sums, Expr<F32> count) {}
}
