package ristretto.expr.form;

import java.util.List;
import ristretto.expr.type.DType;

/**
 * Description of an expression's operation, for translators to other formats; see {@link
 * ristretto.expr.Expr#form}. Axes count from 0.
 */
public sealed interface Form {
  /** Values in memory: the expression is a {@link ristretto.expr.Tensor}. */
  record Memory() implements Form {}

  /**
   * Constant in the expression's shape.
   *
   * @param whole exact number for integer dtypes
   */
  record Number(double value, long whole) implements Form {}

  /**
   * Element-wise operation with broadcast inputs.
   *
   * @param rows operations, each after its operands
   * @param result index of the row with the element's value
   */
  record Elements(List<Row> rows, int result) implements Form {}

  /** Conversion of the input to the expression's dtype. */
  record Cast() implements Form {}

  /** Reshape of the input, in row-major order. */
  record Reshape() implements Form {}

  /** Broadcast of the input to the expression's shape. */
  record Expand() implements Form {}

  /** Permutation of axes: new axis d is old axis {@code axes[d]}. */
  record Permute(List<Integer> axes) implements Form {}

  /**
   * Strided slice: position i along axis d is the input's position {@code starts[d] + steps[d] i}.
   */
  record Step(List<Long> starts, List<Long> steps) implements Form {}

  /**
   * Padding of the first input with the second, a scalar; {@code before} elements come before the
   * first input.
   */
  record Pad(List<Long> before) implements Form {}

  /** Concatenation of the inputs along an axis. */
  record Concat(int axis) implements Form {}

  /**
   * Reduction; the reduced axes are kept with extent 1.
   *
   * @param kind sum, prod, max, min, any, all, argmax, argmin or lambda
   */
  record Reduction(String kind, List<Integer> axes) implements Form {}

  /** Matrix product of two inputs over the last two axes; leading axes broadcast. */
  record Product() implements Form {}

  /**
   * Gather from the first input at the positions in the second input along an axis.
   *
   * @param along true for {@link ristretto.expr.Ops#takeAlongAxis}, false for {@link
   *     ristretto.expr.Ops#take}
   */
  record Take(int axis, boolean along) implements Form {}

  /**
   * Cumulative sums, products, maxima or minima along an axis.
   *
   * @param word add, mul, max or min
   */
  record Scan(String word, int axis, boolean reverse, boolean exclusive) implements Form {}

  /**
   * First entries of the sorted input along an axis.
   *
   * @param positions true for positions in the input, false for values
   */
  record Sort(int axis, boolean descending, boolean positions) implements Form {}

  /** Random numbers. */
  record Random() implements Form {}

  /**
   * Operation without a form, such as a user-defined operator.
   *
   * @param what description for messages
   */
  record Other(String what) implements Form {}

  /** Scalar operation of an element-wise expression. */
  sealed interface Row {
    /** Element of an input. */
    record Input(int input) implements Row {}

    /** Constant. */
    record Number(DType<?> dtype, double value, long whole) implements Row {}

    /**
     * Index of the element, I64.
     *
     * @param axis axis of the coordinate, or -1 for the row-major number
     */
    record Position(int axis) implements Row {}

    /**
     * Operation on previous rows.
     *
     * @param word name, such as {@code mul}
     * @param dtype dtype of the result
     */
    record Operation(String word, DType<?> dtype, List<Integer> operands) implements Row {}

    /** Computation that is no single operation: random numbers, loops. */
    record Other(String what) implements Row {}
  }
}
