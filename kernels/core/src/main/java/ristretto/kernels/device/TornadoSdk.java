package ristretto.kernels.device;

import java.util.List;
import ristretto.kernels.DeviceException;

/** Requirements of the {@code tornado} device, and the message if they are not met. */
public final class TornadoSdk {
  /**
   * Required version of TornadoVM; the internals that we use below its API differ between versions.
   */
  public static final String VERSION = "5.2.0-jdk25";

  private TornadoSdk() {}

  /** Returns {@code reason} followed by the installation instructions. */
  public static String remedy(String reason) {
    return ("%s; install the SDK of TornadoVM %s (sdk install tornadovm %s-opencl, or from"
            + " tornadovm.org/downloads into the folder TORNADOVM_HOME), and start with ./ristretto"
            + " --tornado")
        .formatted(reason, VERSION, VERSION);
  }

  /** Placeholder provider for builds without the TornadoVM SDK, which lack the device's module. */
  static final class Absent implements DeviceProvider {
    @Override
    public String kind() {
      return "tornado";
    }

    @Override
    public List<String> devices() {
      return List.of();
    }

    @Override
    public String remedy() {
      return TornadoSdk.remedy("TornadoVM is not loaded");
    }

    @Override
    public Device open(int index) {
      throw new DeviceException("[tornado] no device was found: " + remedy());
    }
  }
}
