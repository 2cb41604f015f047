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
 */
record Step(int node, List<Index> rows, List<Index> inputs, int at, boolean supplied) {}
