package ristretto.symbolic.onnx.export;

/** Operator of the library that knows its ONNX operators. */
public interface OnnxOperator {
  /** Adds this operator to an ONNX graph. */
  void onnx(OnnxGraph graph);
}
