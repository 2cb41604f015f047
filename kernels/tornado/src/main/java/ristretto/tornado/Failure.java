package ristretto.tornado;

import ristretto.kernels.DeviceException;

/** Translates exceptions of TornadoVM into exceptions for the user. */
final class Failure {
  private Failure() {}

  /**
   * Returns the exception for a failed operation.
   *
   * @param op name of the failed operation
   * @param device name of the device
   */
  static DeviceException of(String op, String device, RuntimeException e) {
    return new DeviceException(
        ("[%s] TornadoVM must succeed; %s reports: %s; the device may be lost, or its memory"
                + " full: open a new context, and look into the system's log if it happens again")
            .formatted(op, device, Log.first(e)),
        e);
  }
}
