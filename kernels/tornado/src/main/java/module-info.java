/**
 * The {@code tornado} device. The module compiles and runs against TornadoVM and the Graal
 * compiler, but does not require them: without them, the device reports why it is unavailable.
 */
module ristretto.tornado {
  requires ristretto.kernels;

  exports ristretto.tornado;

  provides ristretto.kernels.device.DeviceProvider with
      ristretto.tornado.TornadoProvider;
}
