package ristretto.tornado;

import java.util.Map;

/** How TornadoVM is to compile; it reads system properties when its first class is used. */
final class Settings {
  private static final Map<String, String> PROPERTIES =
      Map.of(
          // Without this, what does not compile runs as nothing.
          "tornado.recover.bailout", "False",
          "tornado.load.annotation.implementation", ParallelLoops.class.getName(),
          "tornado.compiler.fullInlining", "True",
          // Every operation rounds as Java says, and functions are the precise ones.
          "tornado.enable.fma", "False",
          "tornado.enable.mathOptimizations", "False",
          "tornado.enable.fastMathOptimizations", "False",
          "tornado.enable.nativeFunctions", "False",
          "tornado.opencl.compiler.flags", "-w",
          "tornado.opencl.profiling.enable", "False",
          // What the device has is counted by our own pool.
          "tornado.device.memory", "1048576GB");

  private Settings() {}

  static void apply() {
    PROPERTIES.forEach(System::setProperty);
  }
}
