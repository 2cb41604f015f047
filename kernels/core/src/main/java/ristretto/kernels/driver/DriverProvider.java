package ristretto.kernels.driver;

import java.util.List;
import java.util.function.Supplier;
import ristretto.kernels.DeviceException;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.DeviceProvider;

/**
 * Devices that a driver finds; searched when needed, and again as long as there are none.
 *
 * @param <H> description of a device
 */
public abstract class DriverProvider<H> implements DeviceProvider {
  private final String kind;
  private final Supplier<Found<H>> search;
  private Found<H> found;

  /**
   * Result of a search.
   *
   * @param reason why there are no devices; empty if there are some
   */
  public record Found<H>(List<H> devices, String reason) {}

  /** Creates a provider of devices of one kind. */
  protected DriverProvider(String kind, Supplier<Found<H>> search) {
    this.kind = kind;
    this.search = search;
  }

  private synchronized Found<H> found() {
    if (found == null || found.devices().isEmpty()) {
      found = search.get();
    }
    return found;
  }

  /** Describes a device in one line. */
  protected abstract String line(H device);

  /** Returns the reason with the remedy. */
  protected abstract String remedy(String reason);

  /** Opens a device. */
  protected abstract Device open(H device, int index);

  @Override
  public final String kind() {
    return kind;
  }

  @Override
  public final List<String> devices() {
    return found().devices().stream().map(this::line).toList();
  }

  @Override
  public final String remedy() {
    String reason = found().reason();
    return reason.isEmpty() ? "" : remedy(reason);
  }

  @Override
  public final Device open(int index) {
    List<H> devices = found().devices();
    if (index < 0 || index >= devices.size()) {
      String count = "the device index must be below " + devices.size() + "; got " + index;
      throw new DeviceException(
          "[" + kind + "] " + (devices.isEmpty() ? "no device was found: " + remedy() : count));
    }
    return open(devices.get(index), index);
  }
}
