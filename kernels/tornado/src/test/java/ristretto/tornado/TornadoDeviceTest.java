package ristretto.tornado;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import ristretto.kernels.DeviceException;
import ristretto.kernels.KernelException;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.driver.DriverDeviceContract;
import ristretto.kernels.driver.DriverProvider.Found;
import ristretto.kernels.source.Target;
import ristretto.kernels.source.java.JavaDialect;

class TornadoDeviceTest extends DriverDeviceContract {
  private static Accelerator accelerator() {
    Found<Accelerator> found = Sdk.find();
    Assumptions.assumeFalse(found.devices().isEmpty(), found.reason());
    return found.devices().getFirst();
  }

  @Override
  protected TornadoDevice another() {
    return new TornadoDevice(accelerator(), 0);
  }

  private TornadoDevice own() {
    return (TornadoDevice) device;
  }

  /** A method of that name is no kernel of OpenCL C, because it has a function of that name. */
  @Test
  void codeThatDoesNotCompileIsShownWithItsLines() {
    String source =
        "import uk.ac.manchester.tornado.api.KernelContext;\npublic final class "
            + JavaDialect.CLASS
            + " {\n"
            + "  private int unused;\n\n"
            + "  public static void all(KernelContext context) {\n"
            + "  }\n"
            + "}\n";
    assertThatThrownBy(() -> own().programs.get(source, "map_broken", Map.of(), own().cached()))
        .isInstanceOf(KernelException.class)
        .hasMessageStartingWith(
            "[map_broken] generated Java must compile; the compiler rejects it; this is a bug of"
                + " Ristretto or of the compiler, please report it\n")
        .hasMessageContaining("    5   public static void all(KernelContext context) {\n")
        .hasMessageContaining("log of the compiler:\nall: ")
        .hasMessageContaining("the OpenCL driver created no kernel")
        .hasMessageContaining("source: ");
  }

  /** TornadoVM would let the driver choose other groups. */
  @Test
  void groupsThatAreTooLargeAreAnError() {
    Target t = own().target;
    var greedy =
        new Target(t.dialect(), t.wide(), 1 << 20, t.rowGroup(), t.units(), t.localBytes());
    try (var other = new TornadoDevice(accelerator(), 3, greedy);
        Buffer x = other.allocate(4 << 20)) {
      var launch = other.prepare(plusConstant(1 << 20, 0, 43.5));
      assertThatThrownBy(() -> launch.run(new Buffer[] {x, x}, new long[0]))
          .isInstanceOf(DeviceException.class)
          .hasMessage(
              "[map_add_f32_flat] TornadoVM must succeed; tornado:3 reports:"
                  + " uk.ac.manchester.tornado.api.exceptions.TornadoBailoutRuntimeException:"
                  + " thread groups are larger than the device supports; the device may be lost, or"
                  + " its memory full: open a new context, and look into the system's log if it"
                  + " happens again");
    }
  }

  @Test
  void failuresNameTheirCause() {
    var cause = new IllegalArgumentException("\u001b[31mCL_OUT_OF_RESOURCES\u001b[0m");
    assertThat(Failure.of("read", "tornado:0", new IllegalStateException("outer", cause)))
        .hasMessage(
            "[read] TornadoVM must succeed; tornado:0 reports: java.lang.IllegalArgumentException:"
                + " CL_OUT_OF_RESOURCES; the device may be lost, or its memory full: open a new"
                + " context, and look into the system's log if it happens again");
  }

  @Test
  void f64NeedsADeviceThatHasIt() {
    Target own = own().target;
    var narrow = new Target(own.dialect(), false, 256, 64, 8, own.localBytes());
    try (var other = new TornadoDevice(accelerator(), 0, narrow)) {
      checkRefusesF64(other);
    }
  }
}
