package ristretto.opencl;

import java.util.List;
import java.util.function.Supplier;
import ristretto.kernels.DeviceException;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.DeviceProvider;

/** Finds the devices of all OpenCL platforms. */
public final class OpenClProvider implements DeviceProvider {
  private final Supplier<Hardware.Found> search;
  private Hardware.Found found;

  public OpenClProvider() {
    this(Hardware::find);
  }

  OpenClProvider(Supplier<Hardware.Found> search) {
    this.search = search;
  }

  private synchronized Hardware.Found found() {
    if (found == null || found.devices().isEmpty()) {
      found = search.get();
    }
    return found;
  }

  @Override
  public String kind() {
    return "opencl";
  }

  @Override
  public List<String> devices() {
    return found().devices().stream().map(OpenClProvider::line).toList();
  }

  private static String line(Hardware hardware) {
    boolean processor = hardware.cpu();
    return hardware.description() + ClBlast.note(processor, processor ? "" : ClBlast.missing());
  }

  @Override
  public String remedy() {
    String reason = found().reason();
    boolean told = reason.isEmpty() || reason.startsWith("[");
    return told
        ? reason
        : reason
            + "; install the OpenCL driver of your GPU, or PoCL for the processor (on Debian and"
            + " Ubuntu: apt-get install ocl-icd-libopencl1 pocl-opencl-icd)";
  }

  @Override
  public Device open(int index) {
    List<Hardware> devices = found().devices();
    if (index < 0 || index >= devices.size()) {
      throw new DeviceException(
          devices.isEmpty()
              ? "[opencl] no device was found: " + remedy()
              : "[opencl] the device index must be below " + devices.size() + "; got " + index);
    }
    return new OpenClDevice(devices.get(index), index);
  }
}
