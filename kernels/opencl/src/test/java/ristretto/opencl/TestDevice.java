package ristretto.opencl;

import org.junit.jupiter.api.Assumptions;
import ristretto.kernels.driver.DriverProvider.Found;

/**
 * The OpenCL device that tests use; where there is none, they are skipped and the reason is told.
 */
final class TestDevice {
  private static final Found<Hardware> FOUND = find();

  private TestDevice() {}

  private static Found<Hardware> find() {
    Found<Hardware> found = Hardware.find();
    if (found.devices().isEmpty()) {
      System.err.println(
          "Tests of the opencl device are skipped: " + new OpenClProvider(() -> found).remedy());
    }
    return found;
  }

  /** Null if there is none. */
  static Hardware hardware() {
    return FOUND.devices().isEmpty() ? null : FOUND.devices().getFirst();
  }

  /** Skips the test if there is none. */
  static Hardware required() {
    Assumptions.assumeTrue(hardware() != null, reason());
    return hardware();
  }

  /** The device, opened; skips the test if there is none. */
  static OpenClDevice open() {
    return new OpenClDevice(required(), 0);
  }

  static String reason() {
    return "no OpenCL device: " + FOUND.reason();
  }
}
