package ristretto.expr.graph;

/** Formula of a user. */
public non-sealed interface CustomFormula extends Formula {}
