package ristretto.kernels.device;

import java.util.List;
import ristretto.kernels.DeviceException;

/** What the {@code tornado} device needs, said by whichever part finds it missing. */
public final class TornadoSdk {
  /** The version of TornadoVM that fits: below its API, where we use it, versions differ. */
  public static final String VERSION = "5.2.0-jdk25";

  private TornadoSdk() {}

  /** The reason, and what to do about it. */
  public static String remedy(String reason) {
    return reason
        + "; install the SDK of TornadoVM "
        + VERSION
        + " (sdk install tornadovm "
        + VERSION
        + "-opencl, or from tornadovm.org/downloads into the folder TORNADOVM_HOME), and start with"
        + " ./ristretto --tornado";
  }

  /** Stands where the module of the device is not there, because it is built with the SDK only. */
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
