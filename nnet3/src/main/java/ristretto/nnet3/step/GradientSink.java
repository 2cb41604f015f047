package ristretto.nnet3.step;

import static ristretto.expr.Ops.sum;

import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.type.F32;
import ristretto.nnet3.Component;
import ristretto.nnet3.matrix.Matrix;

/**
 * Receiver of derivatives of parameters, called while a program is recorded, in the order of the
 * backward pass. The gradient of a parameter is the sum over the calls. Parameters are identified
 * by their arrays, as in {@link DeviceParameters}. Within a recurrence there is one call for all
 * steps, after the last one.
 */
public interface GradientSink extends StatisticsSink {
  /** Returns true if derivatives of the component's parameters are wanted. */
  boolean wants(Component component);

  /** Returns true if statistics of the component's values and derivatives are wanted. */
  default boolean wantsStatistics(Component component) {
    return false;
  }

  /**
   * Takes a summand of the derivative of a parameter.
   *
   * @param parameter the array that holds it
   * @param gradient as many elements as the array, in any shape
   */
  void gradient(Component component, float[] parameter, Expr<F32> gradient);

  /**
   * Takes summands of the derivative of a parameter, one per row.
   *
   * @param parameter the array that holds it
   * @param rows {@code [n, size of the parameter]}
   */
  default void rows(Component component, float[] parameter, Expr<F32> rows) {
    gradient(component, parameter, sum(rows, 0));
  }

  /**
   * Takes the derivatives of w and bias in {@code x w' + bias}: the product dy' x and the column
   * sums of dy.
   *
   * @param w the weights
   * @param bias empty if there is none
   * @param x columns {@code [places, sequences, dim]}; the dims add up to the columns of w
   * @param dy derivative of the result, {@code [places, sequences, rows of w]}, in memory
   */
  void product(
      Component component, Matrix w, float[] bias, List<ForwardStep.Columns> x, Expr<F32> dy);
}
