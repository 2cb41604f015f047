package ristretto.kernels.cpu.block;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import ristretto.kernels.block.BlockFormat;

/**
 * Vector loops of a format. Rows are read one after the other: with several rows at a time,
 * processors prefetch less, which takes more than twice as long.
 *
 * <p>C2 ceases to inline operations of vectors in long code, so the loops must be compiled on their
 * own: each format has a class, and its loop is called through a method handle that is no constant,
 * which C2 does not inline.
 */
abstract sealed class VectorBlockCode implements BlockCode
    permits EightBitCode, FourBitCode, FourBitKCode, SixBitKCode, ByteRowCode {
  /** Bits of the narrowest vectors that bytes are widened to. */
  static final int LEAST_BITS = 256;

  /** Bytes between a block and the line that is read into the cache at the same time. */
  static final long AHEAD = 512;

  private final MethodHandle rows = rows();
  private final MethodHandle total = total();

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

  private MethodHandle rows() {
    var type =
        MethodType.methodType(
            int.class,
            long.class,
            long.class,
            int.class,
            long.class,
            int.class,
            long.class,
            long.class);
    try {
      return MethodHandles.lookup().findVirtual(getClass(), "multiply", type).bindTo(this);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private static MethodHandle total() {
    var type = MethodType.methodType(void.class, long.class, int.class, long.class);
    try {
      return MethodHandles.lookup().findStatic(BlockLanes.class, "total", type);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public final void multiply(
      long blocks, long step, int rows, long x, long k, long to, long work, long last) {
    try {
      int _ = (int) this.rows.invokeExact(blocks, step, rows, x, (int) k, work, last);
      total.invokeExact(work, rows, to);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Multiplies rows. Formats whose codes take little time to decode read one byte {@link #AHEAD} of
   * each block: this brings a line of memory into the cache before its use. Q8_0 is read at 13
   * instead of 11 GB/s from memory.
   *
   * @param to address of the sums in lanes
   * @param last address of the last byte that may be read
   * @return value that depends on all bytes that were read ahead, so that C2 keeps the reads
   */
  abstract int multiply(long blocks, long step, int rows, long x, int k, long to, long last);
}
