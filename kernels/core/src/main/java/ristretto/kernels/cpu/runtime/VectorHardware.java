package ristretto.kernels.cpu.runtime;

import ristretto.kernels.scalar.ScalarType;

/**
 * Vector units of this machine, as C2 uses them. {@link #PRESENT} is false without the incubator
 * module; other classes of this package test it before they use a class of that module.
 */
public final class VectorHardware {
  public static final boolean PRESENT =
      ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();

  /** Width of a vector register in bits. */
  public static final int BITS = PRESENT ? Preferred.bits() : 64;

  /**
   * True if conversions between 8-byte integers and floating point are single instructions: from
   * AVX512DQ on (every 512-bit x86 but the Xeon Phi) and on AArch64; elsewhere C2 would box each
   * lane.
   */
  public static final boolean CONVERTS_LONGS =
      BITS >= 512 || System.getProperty("os.arch").equals("aarch64");

  private VectorHardware() {}

  /** Text for the description of a device. */
  public static String description() {
    return PRESENT ? BITS + "-bit vectors" : "scalar code, because jdk.incubator.vector is missing";
  }

  public static int lanes(ScalarType widest) {
    return Math.max(1, BITS / 8 / widest.bytes());
  }

  /** Preferred width, in a class of its own that links only if the module is present. */
  private static final class Preferred {
    static int bits() {
      return jdk.incubator.vector.VectorShape.preferredShape().vectorBitSize();
    }
  }
}
