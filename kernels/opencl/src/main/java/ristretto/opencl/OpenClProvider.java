package ristretto.opencl;

import java.util.function.Supplier;
import ristretto.kernels.device.Device;
import ristretto.kernels.driver.DriverProvider;

/** Finds the devices of all OpenCL platforms. */
public final class OpenClProvider extends DriverProvider<Hardware> {
  /** Creates a provider; called by the service loader. */
  public OpenClProvider() {
    this(Hardware::find);
  }

  OpenClProvider(Supplier<Found<Hardware>> search) {
    super("opencl", search);
  }

  @Override
  protected String line(Hardware hardware) {
    boolean processor = hardware.cpu();
    return hardware.description() + ClBlast.note(processor, processor ? "" : ClBlast.missing());
  }

  @Override
  protected String remedy(String reason) {
    return reason.startsWith("[")
        ? reason
        : reason
            + "; install the OpenCL driver of your GPU, or PoCL for the processor (on Debian and"
            + " Ubuntu: apt-get install ocl-icd-libopencl1 pocl-opencl-icd)";
  }

  @Override
  protected Device open(Hardware hardware, int index) {
    return new OpenClDevice(hardware, index);
  }
}
