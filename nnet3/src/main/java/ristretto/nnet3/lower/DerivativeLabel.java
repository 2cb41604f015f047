package ristretto.nnet3.lower;

/** Label of the backward pass's assignments for the derivatives of a step. */
public record DerivativeLabel(Step step) {}
