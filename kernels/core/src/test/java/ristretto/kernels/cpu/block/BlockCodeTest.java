package ristretto.kernels.cpu.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import ristretto.kernels.block.BlockFormat;

/** Vector code computes the bits of scalar code, for blocks of any bytes. */
class BlockCodeTest {
  private static final int ROWS = 5;

  @ParameterizedTest
  @EnumSource
  void vectorsHaveTheBitsOfScalars(BlockFormat format) {
    assumeThat(TieredBlockCode.hasVectors())
        .as("vectors of %s bits", VectorBlockCode.LEAST_BITS)
        .isTrue();
    var random = new Random(1);
    long[] lengths = format == BlockFormat.I8 ? new long[] {1, 7, 16, 33, 259} : blocks(format);
    for (long k : lengths) {
      try (Arena arena = Arena.ofConfined()) {
        long step = format.rowBytes(k);
        MemorySegment blocks = arena.allocate(ROWS * step, 64);
        for (long b = 0; b < blocks.byteSize(); b++) {
          blocks.set(ValueLayout.JAVA_BYTE, b, (byte) random.nextInt());
        }
        if (format == BlockFormat.I8) {
          for (int r = 0; r < ROWS; r++) {
            blocks.set(ValueLayout.JAVA_FLOAT_UNALIGNED, r * step, random.nextFloat());
          }
        }
        MemorySegment x = arena.allocate(4 * k, 64);
        for (long i = 0; i < k; i++) {
          x.set(ValueLayout.JAVA_FLOAT, 4 * i, (float) random.nextGaussian());
        }
        assertThat(multiplied(VectorBlockCode.of(format), arena, blocks, step, x, k))
            .as("%s %s", format, k)
            .isEqualTo(multiplied(new ScalarBlockCode(format), arena, blocks, step, x, k));
        assertThat(decoded(VectorBlockCode.of(format), arena, blocks, k))
            .as("%s %s", format, k)
            .isEqualTo(decoded(new ScalarBlockCode(format), arena, blocks, k));
      }
    }
  }

  private static long[] blocks(BlockFormat format) {
    return new long[] {format.length(), 3L * format.length()};
  }

  private static float[] multiplied(
      BlockCode code, Arena arena, MemorySegment blocks, long step, MemorySegment x, long k) {
    MemorySegment to = arena.allocate(4L * ROWS, 64);
    MemorySegment work = arena.allocate(BlockLaunch.work(ROWS), 64);
    long last = blocks.address() + blocks.byteSize() - 1;
    code.multiply(blocks.address(), step, ROWS, x.address(), k, to.address(), work.address(), last);
    return to.toArray(ValueLayout.JAVA_FLOAT);
  }

  private static float[] decoded(BlockCode code, Arena arena, MemorySegment blocks, long k) {
    MemorySegment to = arena.allocate(4 * k, 64);
    code.decode(blocks.address(), 0, k, to.address());
    return to.toArray(ValueLayout.JAVA_FLOAT);
  }
}
