/// Tensors, expressions and assignments.
module ristretto.expr {
  requires transitive ristretto.kernels;

  exports ristretto.expr;

  uses ristretto.kernels.device.DeviceProvider;
}
