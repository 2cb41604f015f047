package ristretto.nnet3.compile;

/** Labels the assignments that say, in the backward pass, what a step's derivatives are. */
record Derivative(Step step) {}
