/** The {@code opencl} device. */
module ristretto.opencl {
  requires jocl;
  requires ristretto.kernels;

  provides ristretto.kernels.device.DeviceProvider with
      ristretto.opencl.OpenClProvider;
}
