package ristretto.kernels.cpu;

import ristretto.kernels.scalar.ScalarType;

/**
 * What the vector units of this machine offer to C2. {@link #PRESENT} is false without the
 * incubator module; nothing else in this package touches a class of that module before asking.
 */
final class VectorHardware {
  static final boolean PRESENT = ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();

  /** Width of a vector register; scratch strips are laid out for it. */
  static final int BITS = PRESENT ? Preferred.bits() : 64;

  /**
   * Conversions between 8-byte integers and floating point are single instructions from AVX512DQ on
   * (every 512-bit x86 but the Xeon Phi) and on AArch64; elsewhere C2 would box each lane.
   */
  static final boolean CONVERTS_LONGS =
      BITS >= 512 || System.getProperty("os.arch").equals("aarch64");

  private VectorHardware() {}

  /** For people. */
  static String description() {
    return PRESENT ? BITS + "-bit vectors" : "scalar code for want of jdk.incubator.vector";
  }

  static int lanes(ScalarType widest) {
    return Math.max(1, BITS / 8 / widest.bytes());
  }

  /** In a class of its own, so that it links only where the module is present. */
  private static final class Preferred {
    static int bits() {
      return jdk.incubator.vector.VectorShape.preferredShape().vectorBitSize();
    }
  }
}
