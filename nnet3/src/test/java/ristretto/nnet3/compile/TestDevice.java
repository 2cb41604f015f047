package ristretto.nnet3.compile;

import static org.junit.jupiter.api.Assumptions.abort;

import ristretto.expr.Context;
import ristretto.kernels.DeviceException;

/** The device that vectors are computed on: cpu, or what -Dristretto.test.device names. */
final class TestDevice {
  static final String NAME = System.getProperty("ristretto.test.device", "cpu");

  private TestDevice() {}

  static Context open() {
    return open(NAME);
  }

  /** Aborts the test, with the reason, where there is no such device. */
  static Context open(String name) {
    try {
      return Context.open(name);
    } catch (DeviceException e) {
      return abort(e.getMessage());
    }
  }
}
