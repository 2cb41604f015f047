package ristretto.tornado;

import java.lang.module.ModuleDescriptor;
import java.util.List;
import ristretto.kernels.device.TornadoSdk;

/** TornadoVM of this process. */
final class Sdk {
  /** Class of TornadoVM's API whose presence is tested. */
  private static final String CONTEXT = "uk.ac.manchester.tornado.api.KernelContext";

  private Sdk() {}

  /**
   * Result of the search.
   *
   * @param reason why there is no device; empty if there is one
   */
  record Found(List<Accelerator> devices, String reason) {
    String remedy() {
      return reason.isEmpty() ? "" : TornadoSdk.remedy(reason);
    }
  }

  static Found find() {
    try {
      Class<?> context = Class.forName(CONTEXT);
      return find(version(context.getModule().getDescriptor()));
    } catch (ClassNotFoundException e) {
      return new Found(List.of(), "TornadoVM is not loaded");
    }
  }

  /**
   * Returns TornadoVM's version; classes outside of modules do not record it, so the supported
   * version is assumed.
   */
  private static String version(ModuleDescriptor module) {
    return module == null ? TornadoSdk.VERSION : module.rawVersion().orElse("of unknown version");
  }

  /** Finds the devices if this version of TornadoVM is supported. */
  static Found find(String version) {
    if (!version.equals(TornadoSdk.VERSION)) {
      return new Found(List.of(), "TornadoVM " + version + " is loaded, which does not fit");
    }
    try {
      List<Accelerator> devices = Accelerator.all();
      return new Found(devices, devices.isEmpty() ? "TornadoVM finds no device" : "");
    } catch (RuntimeException | LinkageError e) {
      return new Found(List.of(), "TornadoVM does not start (" + Log.first(e) + ")");
    }
  }
}
