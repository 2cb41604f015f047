package ristretto.kernels.cpu;

import java.util.List;
import ristretto.kernels.DeviceException;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.DeviceProvider;

/** Provider of the one device of kind {@code cpu}, which uses all processors. */
public final class CpuProvider implements DeviceProvider {
  @Override
  public String kind() {
    return "cpu";
  }

  @Override
  public List<String> devices() {
    return List.of(CpuDevice.describe(CpuSettings.fromSystem().threads()));
  }

  @Override
  public String remedy() {
    return "";
  }

  @Override
  public Device open(int index) {
    if (index != 0) {
      throw new DeviceException(
          "[cpu] the device index must be 0; got "
              + index
              + "; open cpu or cpu:0, which uses all processors");
    }
    return new CpuDevice(CpuSettings.fromSystem());
  }
}
