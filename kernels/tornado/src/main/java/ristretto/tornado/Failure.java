package ristretto.tornado;

import ristretto.kernels.DeviceException;

/** What a failure within TornadoVM means to the user. */
final class Failure {
  private Failure() {}

  /**
   * @param op what was to be done
   * @param device its name
   */
  static DeviceException of(String op, String device, RuntimeException e) {
    return new DeviceException(
        "["
            + op
            + "] TornadoVM must do its work; "
            + device
            + " answers: "
            + Log.first(e)
            + "; the device may be lost or its memory full: open a new context, and look into the"
            + " system's log if it happens again",
        e);
  }
}
