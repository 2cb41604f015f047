/** The {@code cuda} device. */
module ristretto.cuda {
  requires jcuda;
  requires ristretto.kernels;

  provides ristretto.kernels.device.DeviceProvider with
      ristretto.cuda.CudaProvider;
}
