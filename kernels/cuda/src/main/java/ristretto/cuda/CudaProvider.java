package ristretto.cuda;

import java.util.List;
import java.util.function.Supplier;
import ristretto.kernels.DeviceException;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.DeviceProvider;

/** Finds CUDA devices. */
public final class CudaProvider implements DeviceProvider {
  private final Supplier<Hardware.Found> search;
  private Hardware.Found found;

  /** Creates a provider; called by the service loader. */
  public CudaProvider() {
    this(CudaProvider::usable);
  }

  CudaProvider(Supplier<Hardware.Found> search) {
    this.search = search;
  }

  /** Finds GPUs; none without a compiler for them. */
  private static Hardware.Found usable() {
    Hardware.Found found = Hardware.find();
    if (found.devices().isEmpty()) {
      return found;
    }
    Hardware first = found.devices().getFirst();
    return Compiler.of(first).isPresent()
        ? found
        : new Hardware.Found(List.of(), Missing.compiler(first.name(), first.capabilityWords()));
  }

  private synchronized Hardware.Found found() {
    if (found == null || found.devices().isEmpty()) {
      found = search.get();
    }
    return found;
  }

  @Override
  public String kind() {
    return "cuda";
  }

  @Override
  public List<String> devices() {
    return found().devices().stream()
        .map(h -> h.description() + Compiler.of(h).map(c -> ", " + c.name()).orElse(""))
        .map(text -> text + ", " + products())
        .toList();
  }

  private String products() {
    Driver driver = found().devices().getFirst().driver();
    return Cublas.find(driver)
        .map(library -> "cuBLAS " + library.version)
        .orElse("products by own kernels: no libcublas.so.12 or .13 found");
  }

  @Override
  public String remedy() {
    return found().remedy();
  }

  @Override
  public Device open(int index) {
    List<Hardware> devices = found().devices();
    if (index < 0 || index >= devices.size()) {
      throw new DeviceException(
          devices.isEmpty()
              ? "[cuda] no device was found: " + remedy()
              : "[cuda] the device index must be below " + devices.size() + "; got " + index);
    }
    return new CudaDevice(devices.get(index));
  }
}
