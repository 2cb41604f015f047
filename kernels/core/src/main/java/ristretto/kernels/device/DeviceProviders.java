package ristretto.kernels.device;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** Device providers present at run time. */
public final class DeviceProviders {
  private DeviceProviders() {}

  /**
   * Returns the providers of all device modules present, and a placeholder for the {@code tornado}
   * module if it is absent.
   *
   * @throws ristretto.kernels.DeviceException if a system property has an invalid value
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
