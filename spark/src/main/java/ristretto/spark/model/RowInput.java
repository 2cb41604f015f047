package ristretto.spark.model;

import ristretto.expr.type.DType;
import ristretto.symbolic.graph.Dims;

/**
 * Input of a model.
 *
 * @param dims extents, rows first; -1 where they are not known
 */
public record RowInput(String name, DType<?> dtype, Dims dims) {}
