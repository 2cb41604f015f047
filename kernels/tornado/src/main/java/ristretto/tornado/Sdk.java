package ristretto.tornado;

import java.lang.module.ModuleDescriptor;
import java.util.List;
import ristretto.kernels.device.TornadoSdk;

/** TornadoVM as this process has it. */
final class Sdk {
  /** A class of TornadoVM's API. */
  private static final String CONTEXT = "uk.ac.manchester.tornado.api.KernelContext";

  private Sdk() {}

  /**
   * What was found.
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

  /** Of classes that are in no module, it is not known. */
  private static String version(ModuleDescriptor module) {
    return module == null ? TornadoSdk.VERSION : module.rawVersion().orElse("of unknown version");
  }

  /** With a TornadoVM of this version in the process. */
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
