package ristretto.tornado;

import java.util.function.Supplier;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.TornadoSdk;
import ristretto.kernels.driver.DriverProvider;

/** Finds the devices of all backends of TornadoVM. */
public final class TornadoProvider extends DriverProvider<Accelerator> {
  /** Creates a provider; called by the service loader. */
  public TornadoProvider() {
    this(Sdk::find);
  }

  TornadoProvider(Supplier<Found<Accelerator>> search) {
    super("tornado", search);
  }

  @Override
  protected String line(Accelerator accelerator) {
    return accelerator.description();
  }

  @Override
  protected String remedy(String reason) {
    return TornadoSdk.remedy(reason);
  }

  @Override
  protected Device open(Accelerator accelerator, int index) {
    return new TornadoDevice(accelerator, index);
  }
}
