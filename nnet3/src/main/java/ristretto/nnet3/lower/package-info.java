/**
 * Lowering of a dependency graph to expressions: order of steps, loops of recurrences, memory of
 * nodes, and the backward pass.
 */
package ristretto.nnet3.lower;
