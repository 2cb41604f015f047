package ristretto.nnet3.forward;

import static ristretto.expr.Ops.sum;

import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.nnet3.Component;
import ristretto.nnet3.io.Matrix;

/**
 * Where the derivatives of parameters go. It is called while a program is recorded, in the order of
 * the backward pass, and records what is to become of them: the sum over calls is the gradient.
 * Parameters are told apart by the arrays that hold them, as in {@link Resident}. Within a
 * recurrence there is one call for all its steps, after them.
 */
public interface GradientSink extends StatisticsSink {
  /** Whether derivatives of the component's parameters are wanted. */
  boolean wants(Component component);

  /** Whether statistics of the component's values and derivatives are wanted. */
  default boolean wantsStatistics(Component component) {
    return false;
  }

  /**
   * The derivative of a parameter.
   *
   * @param parameter the array that holds it
   * @param gradient as many numbers, in any shape
   */
  void gradient(Component component, float[] parameter, Expr<F32> gradient);

  /**
   * The derivative of a parameter as rows that are to be added up.
   *
   * @param parameter the array that holds it
   * @param rows each with as many numbers
   */
  default void rows(Component component, float[] parameter, Expr<F32> rows) {
    gradient(component, parameter, sum(rows, 0));
  }

  /**
   * The derivative of {@code x w' + bias} by w and bias: the products of dY and x, and the sums of
   * dY.
   *
   * @param w the parameters that x is multiplied with
   * @param bias empty if there is none
   * @param x columns side by side, {@code [places, sequences, dim]} each, as many as w has
   * @param dy the derivative of the product, {@code [places, sequences, rows of w]}, in memory
   */
  void product(Component component, Matrix w, float[] bias, List<Forward.Columns> x, Expr<F32> dy);
}
