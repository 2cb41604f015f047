package ristretto.cuda;

import java.util.List;
import java.util.function.Supplier;
import ristretto.kernels.device.Device;
import ristretto.kernels.driver.DriverProvider;

/** Finds CUDA devices. */
public final class CudaProvider extends DriverProvider<Hardware> {
  /** Creates a provider; called by the service loader. */
  public CudaProvider() {
    this(CudaProvider::usable);
  }

  CudaProvider(Supplier<Found<Hardware>> search) {
    super("cuda", search);
  }

  /** Finds GPUs; none without a compiler for them. */
  private static Found<Hardware> usable() {
    Found<Hardware> found = Hardware.find();
    if (found.devices().isEmpty()) {
      return found;
    }
    Hardware first = found.devices().getFirst();
    return Compiler.of(first).isPresent()
        ? found
        : new Found<>(List.of(), Missing.compiler(first.name(), first.capabilityWords()));
  }

  @Override
  protected String line(Hardware hardware) {
    String compiler = Compiler.of(hardware).map(c -> ", " + c.name()).orElse("");
    return hardware.description() + compiler + ", " + products(hardware);
  }

  private static String products(Hardware hardware) {
    return Cublas.find(hardware.driver())
        .map(library -> "cuBLAS " + library.version)
        .orElse("matrix products by built-in kernels: no libcublas.so.12 or .13 found");
  }

  @Override
  protected String remedy(String reason) {
    return reason;
  }

  @Override
  protected Device open(Hardware hardware, int index) {
    return new CudaDevice(hardware);
  }
}
