package ristretto.kernels.device;

import java.util.List;

/** Finds the devices of one kind; a {@link java.util.ServiceLoader} service. */
public interface DeviceProvider {
  /** {@code cpu}, {@code opencl}, {@code cuda}, {@code tornado}. */
  String kind();

  /** One line a device that can be opened, by index. */
  List<String> devices();

  /** Why {@link #devices()} is empty and what to do about it; empty if it is not. */
  String remedy();

  /** Opens device {@code index}. @throws ristretto.kernels.DeviceException if there is none */
  Device open(int index);
}
