package ristretto.tornado;

import java.lang.module.ModuleDescriptor;
import java.util.List;
import ristretto.kernels.device.TornadoSdk;
import ristretto.kernels.driver.DriverProvider.Found;

/** TornadoVM of this process. */
final class Sdk {
  /** Class of TornadoVM's API whose presence is tested. */
  private static final String CONTEXT = "uk.ac.manchester.tornado.api.KernelContext";

  private static Found<Accelerator> found;

  private Sdk() {}

  /** Searches for devices once: TornadoVM does not start twice. */
  static synchronized Found<Accelerator> find() {
    if (found == null) {
      found = search();
    }
    return found;
  }

  private static Found<Accelerator> search() {
    try {
      Class<?> context = Class.forName(CONTEXT);
      return find(version(context.getModule().getDescriptor()));
    } catch (ClassNotFoundException e) {
      return new Found<>(List.of(), "TornadoVM is not loaded");
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
  static Found<Accelerator> find(String version) {
    if (!version.equals(TornadoSdk.VERSION)) {
      return new Found<>(List.of(), "TornadoVM " + version + " is loaded, an unsupported version");
    }
    try {
      List<Accelerator> devices = Accelerator.all();
      return new Found<>(devices, devices.isEmpty() ? "TornadoVM finds no device" : "");
    } catch (RuntimeException | LinkageError e) {
      return new Found<>(List.of(), "TornadoVM does not start (" + Log.first(e) + ")");
    }
  }
}
