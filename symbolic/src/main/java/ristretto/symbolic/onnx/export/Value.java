package ristretto.symbolic.onnx.export;

import ristretto.expr.dim.UnknownDims;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;

/** Tensor of an ONNX graph; unknown dimensions of its shape are those of {@link UnknownDims}. */
public record Value(String name, DType<?> dtype, Shape shape) {}
