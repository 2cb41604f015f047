package ristretto.kernels.cpu.block;

import static ristretto.kernels.cpu.block.BlockLaunch.LANES;

import ristretto.kernels.block.BlockFormat;

/**
 * Vector loops of a format. Rows are read one after the other: with several rows at a time,
 * processors prefetch less, which takes more than twice as long. Each format has a class, so that
 * its code is compiled once, whatever other formats are in use.
 */
abstract sealed class VectorBlockCode implements BlockCode
    permits EightBitCode, FourBitCode, FourBitKCode, SixBitKCode, ByteRowCode {
  /** Bits of the narrowest vectors that bytes are widened to. */
  static final int LEAST_BITS = 256;

  /** Code of a format. */
  static VectorBlockCode of(BlockFormat format) {
    return switch (format) {
      case Q8_0 -> new EightBitCode();
      case Q4_0 -> new FourBitCode();
      case Q4_K -> new FourBitKCode();
      case Q6_K -> new SixBitKCode();
      case I8 -> new ByteRowCode();
    };
  }

  @Override
  public final void multiply(long blocks, long step, int rows, long x, long k, long to, long work) {
    for (int r = 0; r < rows; r++) {
      multiply(blocks + r * step, x, (int) k, work + 4L * LANES * r);
    }
    Lanes.total(work, rows, to);
  }

  /**
   * Multiplies a row.
   *
   * @param to address of the sums in lanes
   */
  abstract void multiply(long row, long x, int k, long to);
}
