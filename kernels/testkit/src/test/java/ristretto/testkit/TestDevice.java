package ristretto.testkit;

import java.util.List;
import ristretto.expr.Context;

/** The device that tests run on: cpu, or what -Dristretto.test.device names. */
final class TestDevice {
  static final String NAME = System.getProperty("ristretto.test.device", "cpu");

  private TestDevice() {}

  /** It, and with cpu the interpreter, which checks every access that planned kernels make. */
  static List<String> all() {
    return NAME.equals("cpu") ? List.of(NAME, "oracle") : List.of(NAME);
  }

  static Context open() {
    return Context.open(NAME);
  }
}
