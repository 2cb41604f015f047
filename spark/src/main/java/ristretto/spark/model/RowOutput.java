package ristretto.spark.model;

import ristretto.expr.type.DType;

/**
 * Output of a model.
 *
 * @param scalar true if a row has a number, false if it has an array
 */
public record RowOutput(String name, DType<?> dtype, boolean scalar) {}
