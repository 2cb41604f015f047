package ristretto.symbolic.onnx;

import ristretto.expr.DType;

/** A tensor of an ONNX graph. */
public record Value(String name, DType<?> dtype, Extents extents) {}
