package ristretto.opencl;

import java.util.List;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.DeviceProvider;

/** The opencl device by the name of cpu, so that tests of other modules run on it unchanged. */
public final class StandInProvider implements DeviceProvider {
  private final OpenClProvider provider = new OpenClProvider();

  @Override
  public String kind() {
    return "cpu";
  }

  @Override
  public List<String> devices() {
    return provider.devices();
  }

  @Override
  public String remedy() {
    return provider.remedy();
  }

  @Override
  public Device open(int index) {
    return provider.open(index);
  }
}
