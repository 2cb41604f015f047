package ristretto.tornado;

import java.util.Map;

/**
 * TornadoVM's compiler settings, as system properties, which TornadoVM reads when its first class
 * is initialized.
 */
final class Settings {
  private static final Map<String, String> PROPERTIES =
      Map.of(
          // Otherwise a kernel that fails to compile would run as an empty one.
          "tornado.recover.bailout", "False",
          "tornado.load.annotation.implementation", ParallelLoops.class.getName(),
          "tornado.compiler.fullInlining", "True",
          // Every operation rounds as in Java, and functions are the precise ones.
          "tornado.enable.fma", "False",
          "tornado.enable.mathOptimizations", "False",
          "tornado.enable.fastMathOptimizations", "False",
          "tornado.enable.nativeFunctions", "False",
          "tornado.opencl.compiler.flags", "-w",
          "tornado.opencl.profiling.enable", "False",
          // Our own pool accounts for the device's memory.
          "tornado.device.memory", "1048576GB");

  private Settings() {}

  static void apply() {
    PROPERTIES.forEach(System::setProperty);
  }
}
