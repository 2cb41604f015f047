package ristretto.nnet3.step;

import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Component;

/**
 * Receiver of statistics of values and derivatives, called while a program is recorded. A component
 * passes sums over rows under a name, and after a run receives the totals under that name.
 */
public interface StatisticsSink {
  /**
   * Takes sums over rows, to be added to the component's statistics.
   *
   * @param count number of rows
   */
  void statistics(Component component, String name, Expr<F32> sum, double count);

  /**
   * Returns the totals of a name so far in training, possibly of zero rows; null if only the
   * component's own statistics apply.
   *
   * @param dim number of elements of the sums
   * @param withThisStep true to include the statistics of this step
   */
  default Totals totals(Component component, String name, long dim, boolean withThisStep) {
    return null;
  }

  /**
   * Totals of statistics.
   *
   * @param sums by column
   * @param count number of rows, a scalar
   */
  record Totals(Expr<F32> sums, Expr<F32> count) {}
}
