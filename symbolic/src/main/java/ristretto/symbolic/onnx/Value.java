package ristretto.symbolic.onnx;

import ristretto.expr.DType;

/** Tensor of an ONNX graph. */
public record Value(String name, DType<?> dtype, Extents extents) {}
