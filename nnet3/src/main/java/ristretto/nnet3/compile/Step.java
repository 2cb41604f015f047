package ristretto.nnet3.compile;

import java.util.List;
import ristretto.nnet3.Index;

/**
 * Rows of one node that are computed together. What they read was computed in earlier steps.
 *
 * @param node the node
 * @param rows sorted, or in the order of the request for an output
 * @param inputs of a component that is not simple: the rows of what its descriptor gathers; else
 *     the same as {@code rows}
 * @param at the place of the first row among all rows of the node
 * @param supplied whether the user supplies the rows
 * @param window which rows of the node are in memory from this step on
 */
record Step(
    int node, List<Index> rows, List<Index> inputs, int at, boolean supplied, Window window) {
  /**
   * Rows of a node that are in memory together, by their places.
   *
   * @param block in which they are
   * @param first the first of them: it and those after it were there before
   * @param from the first that is computed
   * @param end the end of both
   * @param later the first that later blocks read; the end for none
   */
  record Window(int block, int first, int from, int end, int later) {
    /** All rows of a node that has so many. */
    static Window all(int size) {
      return new Window(0, 0, 0, size, size);
    }

    /** Whether later blocks read some of them. */
    boolean stays() {
      return later < end;
    }

    /** Those that later blocks read. */
    Window rest() {
      return new Window(block, later, end, end, later);
    }

    int size() {
      return end - first;
    }
  }

  /** Whether the rows that are computed now have further steps. */
  boolean isSplit() {
    return window.end - window.from > rows.size();
  }
}
