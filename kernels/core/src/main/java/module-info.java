/// Kernels: scalar and kernel IR, lambda lifting, the kernel cache, the device interface and the `cpu` device.
module ristretto.kernels {
  requires org.slf4j;
  requires static jdk.incubator.vector;

  exports ristretto.kernels;
}
