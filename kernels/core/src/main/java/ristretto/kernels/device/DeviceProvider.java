package ristretto.kernels.device;

import java.util.List;

/** Service that finds the devices of one kind; loaded by {@link java.util.ServiceLoader}. */
public interface DeviceProvider {
  /** Kind of the devices: {@code cpu}, {@code opencl}, {@code cuda}, {@code tornado}. */
  String kind();

  /** Descriptions of the devices that can be opened, one line each, by index. */
  List<String> devices();

  /**
   * Reason why {@link #devices()} is empty and the remedy; an empty string if there are devices.
   */
  String remedy();

  /**
   * Opens device {@code index}.
   *
   * @throws ristretto.kernels.DeviceException if there is no such device
   */
  Device open(int index);
}
