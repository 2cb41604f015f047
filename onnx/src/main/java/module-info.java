/** Import of ONNX models. */
module ristretto.onnx {
  requires com.google.protobuf;
  requires transitive ristretto.symbolic;

  exports ristretto.onnx;
}
