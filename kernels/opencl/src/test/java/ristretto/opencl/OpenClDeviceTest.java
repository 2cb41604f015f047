package ristretto.opencl;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import ristretto.kernels.KernelException;
import ristretto.kernels.driver.BlasChoice;
import ristretto.kernels.driver.DriverDeviceContract;
import ristretto.kernels.source.Target;

class OpenClDeviceTest extends DriverDeviceContract {
  @Override
  protected OpenClDevice another() {
    Assumptions.assumeTrue(TestDevice.hardware() != null, TestDevice.reason());
    return new OpenClDevice(TestDevice.hardware(), 0);
  }

  private OpenClDevice own() {
    return (OpenClDevice) device;
  }

  @Test
  void sumsAreAccurateOnGpusToo() {
    Target own = own().target;
    for (boolean wide : new boolean[] {own.wide(), false}) {
      var target = new Target(own.dialect(), wide, 256, 64, 8, own.localBytes());
      try (var other = new OpenClDevice(TestDevice.hardware(), 0, target, BlasChoice.OWN)) {
        checkSum(other, 1_000_003);
        checkSum(other, 777);
      }
    }
  }

  @Test
  void brokenCodeIsShownWithItsLines() {
    String source = "typedef int i32;\nkernel void f(global i32* x) {\n  x[0] = y;\n}\n";
    assertThatThrownBy(() -> own().programs.get(source, "map_broken", Map.of(), own().cached()))
        .isInstanceOf(KernelException.class)
        .hasMessageStartingWith(
            "[map_broken] generated OpenCL C must compile; the compiler rejects it; this is a bug"
                + " of Ristretto or of the compiler, please report it\n")
        .hasMessageContaining("    3   x[0] = y;\n")
        .hasMessageContaining("log of the compiler:\n")
        .hasMessageContaining("undeclared identifier 'y'")
        .hasMessageContaining("source: ");
  }

  @Test
  void f64NeedsADeviceThatHasIt() {
    Target own = own().target;
    var narrow = new Target(own.dialect(), false, 256, 64, 8, own.localBytes());
    try (var other = new OpenClDevice(TestDevice.hardware(), 0, narrow, BlasChoice.OWN)) {
      checkRefusesF64(other);
    }
  }
}
