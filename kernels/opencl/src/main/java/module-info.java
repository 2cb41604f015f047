/** The {@code opencl} device. */
module ristretto.opencl {
  requires jocl;
  requires static jocl.blast;
  requires ristretto.kernels;

  provides ristretto.kernels.device.DeviceProvider with
      ristretto.opencl.OpenClProvider;
}
