package ristretto.nnet3.compile;

/** Label of the backward pass's assignments for the derivatives of a step. */
record Derivative(Step step) {}
