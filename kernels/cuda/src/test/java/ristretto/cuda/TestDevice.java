package ristretto.cuda;

import java.util.List;
import ristretto.kernels.driver.DriverProvider.Found;

/** The GPU that tests use: a real one, or else the stand-in. */
final class TestDevice {
  private static String reason = "";
  private static final List<Hardware> FOUND = find();

  private TestDevice() {}

  private static List<Hardware> find() {
    Found<Hardware> real = Library.load("libcuda.so.1", 0).isPresent() ? Hardware.find() : null;
    if (real != null
        && !real.devices().isEmpty()
        && Compiler.of(real.devices().getFirst()).isPresent()) {
      return real.devices();
    }
    reason = StandIn.make();
    if (reason != null) {
      System.err.println("Tests of the cuda device are skipped: " + reason);
      return List.of();
    }
    System.setProperty("ristretto.cuda.driver", StandIn.driver().toString());
    System.setProperty("ristretto.cuda.libraries", StandIn.folder().toString());
    Found<Hardware> found = Hardware.find();
    reason = found.reason();
    return found.devices();
  }

  /** Null if there is none. */
  static Hardware hardware() {
    return FOUND.isEmpty() ? null : FOUND.getFirst();
  }

  static List<Hardware> all() {
    return FOUND;
  }

  static String reason() {
    return reason;
  }
}
