package ristretto.tornado;

import java.util.List;
import java.util.function.Supplier;
import ristretto.kernels.DeviceException;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.DeviceProvider;

/** Finds the devices of all backends of TornadoVM. */
public final class TornadoProvider implements DeviceProvider {
  private final Supplier<Sdk.Found> search;
  private Sdk.Found found;

  /** Creates a provider; called by the service loader. */
  public TornadoProvider() {
    this(Sdk::find);
  }

  TornadoProvider(Supplier<Sdk.Found> search) {
    this.search = search;
  }

  private synchronized Sdk.Found found() {
    if (found == null) {
      found = search.get();
    }
    return found;
  }

  @Override
  public String kind() {
    return "tornado";
  }

  @Override
  public List<String> devices() {
    return found().devices().stream().map(Accelerator::description).toList();
  }

  @Override
  public String remedy() {
    return found().remedy();
  }

  @Override
  public Device open(int index) {
    List<Accelerator> devices = found().devices();
    if (index < 0 || index >= devices.size()) {
      throw new DeviceException(
          devices.isEmpty()
              ? "[tornado] no device was found: " + remedy()
              : "[tornado] the device index must be below " + devices.size() + "; got " + index);
    }
    return new TornadoDevice(devices.get(index), index);
  }
}
