package ristretto.expr;

import java.util.List;

/**
 * What an expression computes from its inputs, for those who translate it into something else than
 * kernels; see {@link Expr#form}. Axes count from 0.
 */
public sealed interface Form {
  /** Values in memory: the expression is a {@link Tensor}. */
  record Memory() implements Form {}

  /**
   * One number in the expression's shape.
   *
   * @param whole of integers, the number itself
   */
  record Number(double value, long whole) implements Form {}

  /**
   * Element by element, inputs broadcast.
   *
   * @param rows each after those it reads
   * @param result the row that is the element
   */
  record Elements(List<Row> rows, int result) implements Form {}

  /** The input's elements, converted. */
  record Cast() implements Form {}

  /** The input's elements in row-major order under another shape. */
  record Reshape() implements Form {}

  /** The input broadcast to the shape. */
  record Expand() implements Form {}

  /** New axis d is old axis {@code axes[d]}. */
  record Permute(List<Integer> axes) implements Form {}

  /** Position i along axis d is the input's {@code starts[d] + steps[d] i}. */
  record Step(List<Long> starts, List<Long> steps) implements Form {}

  /** The first input, from {@code before} on, within the second one, a number. */
  record Pad(List<Long> before) implements Form {}

  /** The inputs one after another. */
  record Concat(int axis) implements Form {}

  /**
   * A reduction; its axes stay, with extent 1.
   *
   * @param kind sum, prod, max, min, any, all, argmax, argmin or lambda
   */
  record Reduction(String kind, List<Integer> axes) implements Form {}

  /** Matrix product of the last two axes of two inputs; leading ones broadcast. */
  record Product() implements Form {}

  /**
   * Elements of the first input at positions that the second one holds along an axis.
   *
   * @param along {@link Ops#takeAlongAxis}; otherwise {@link Ops#take}
   */
  record Take(int axis, boolean along) implements Form {}

  /**
   * Running sums, products, maxima or minima.
   *
   * @param word add, mul, max or min
   */
  record Scan(String word, int axis, boolean reverse, boolean exclusive) implements Form {}

  /**
   * The first entries along an axis, sorted.
   *
   * @param positions where they were, not what they are
   */
  record Sort(int axis, boolean descending, boolean positions) implements Form {}

  /** Random numbers. */
  record Random() implements Form {}

  /**
   * Something else, such as an operator of somebody's own.
   *
   * @param what for messages
   */
  record Other(String what) implements Form {}

  /** One value on the way to an element. */
  sealed interface Row {
    /** The element of an input. */
    record Input(int input) implements Row {}

    /** A number. */
    record Number(DType<?> dtype, double value, long whole) implements Row {}

    /**
     * The place of the element, I64.
     *
     * @param axis -1 for its row-major number
     */
    record Position(int axis) implements Row {}

    /**
     * An operation.
     *
     * @param word its name, as {@code mul}
     * @param dtype of what it yields
     */
    record Operation(String word, DType<?> dtype, List<Integer> operands) implements Row {}

    /** What no single operation says: random numbers, loops. */
    record Other(String what) implements Row {}
  }
}
