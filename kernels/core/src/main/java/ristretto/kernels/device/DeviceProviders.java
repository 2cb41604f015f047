package ristretto.kernels.device;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** The kinds of devices there are. */
public final class DeviceProviders {
  private DeviceProviders() {}

  /**
   * Jars of all modules present, and jars that the modules left out need.
   *
   * @throws ristretto.kernels.DeviceException if a system property has a value that it cannot have
   */
  public static List<DeviceProvider> all() {
    Choice.checkAll();
    var all = new ArrayList<DeviceProvider>();
    ServiceLoader.load(DeviceProvider.class, DeviceProvider.class.getClassLoader())
        .forEach(all::add);
    if (all.stream().noneMatch(p -> p.kind().equals("tornado"))) {
      all.add(new TornadoSdk.Absent());
    }
    return all;
  }
}
