package ristretto.nnet3.lower;

import static ristretto.expr.Ops.range;

import java.util.List;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.Index;

/**
 * Rows of one node that are computed together. All rows they read belong to earlier steps.
 *
 * @param node the node
 * @param rows sorted; for an output, in the order of the request
 * @param inputs for a component that is not simple, the input rows that its descriptor gathers;
 *     else equal to {@code rows}
 * @param at position of the first row among all rows of the node
 * @param supplied true if the user supplies the rows
 * @param window rows of the node that are in memory from this step on
 */
public record Step(
    int node, List<Index> rows, List<Index> inputs, int at, boolean supplied, Window window) {
  /**
   * Range of a node's rows that are in memory together, by position.
   *
   * @param block number of the block of time steps
   * @param first first row in memory; rows [first, from) were computed by earlier blocks
   * @param from first row that this block computes
   * @param end end of the range
   * @param later first row that later blocks read; {@code end} if none
   */
  record Window(int block, int first, int from, int end, int later) {
    /**
     * Window over all rows of a node.
     *
     * @param size number of rows of the node
     */
    static Window all(int size) {
      return new Window(0, 0, 0, size, size);
    }

    /** Returns true if later blocks read some of the rows. */
    boolean stays() {
      return later < end;
    }

    /** Returns the window of the rows that later blocks read. */
    Window rest() {
      return new Window(block, later, end, end, later);
    }

    int size() {
      return end - first;
    }
  }

  /**
   * Returns true if the step computes only some of the rows that its block computes of this node.
   */
  public boolean isSplit() {
    return window.end - window.from > rows.size();
  }

  /** Returns true if the step computes each row from the input row of the same index. */
  boolean isOneToOne() {
    return inputs.isEmpty() || inputs.equals(rows);
  }

  /** Rows of the step in memory of all rows of its node. */
  Tensor<F32> rowsOf(Tensor<F32> memory) {
    return memory.slice(range(at, at + (long) rows.size()));
  }
}
