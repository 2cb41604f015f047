/**
 * The {@code tornado} device. It is compiled and run with TornadoVM and the Graal compiler, which
 * it does not require: without them, the device is not there and says so.
 */
module ristretto.tornado {
  requires ristretto.kernels;

  exports ristretto.tornado;

  provides ristretto.kernels.device.DeviceProvider with
      ristretto.tornado.TornadoProvider;
}
