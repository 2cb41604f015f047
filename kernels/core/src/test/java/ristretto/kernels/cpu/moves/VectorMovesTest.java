package ristretto.kernels.cpu.moves;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.runtime.VectorHardware;

/** Copies by vectors put every element where loops do, and touch nothing else. */
class VectorMovesTest {
  private static final int GUARD = 0x5A5A5A5A;

  @BeforeAll
  static void vectors() {
    assumeTrue(VectorHardware.PRESENT && VectorHardware.BITS >= 128);
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 8})
  void transposes(int bytes) {
    int words = bytes / 4;
    for (int[] extents : new int[][] {{1, 1}, {16, 16}, {17, 33}, {40, 8}, {5, 70}, {64, 64}}) {
      int lines = extents[0];
      int length = extents[1];
      int fromStep = (length + 3) * words;
      int toStep = (lines + 5) * words;
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment from = counted(arena, lines * fromStep);
        MemorySegment to = guarded(arena, length * toStep);
        Move move = bytes == 4 ? Move.TRANSPOSE_4 : Move.TRANSPOSE_8;
        Transpose.copy(
            move, from.address(), 4L * fromStep, lines, length, to.address(), 4L * toStep);
        for (int c = 0; c < length; c++) {
          for (int k = 0; k < toStep; k++) {
            int r = k / words;
            int expected = r < lines ? r * fromStep + c * words + k % words : GUARD;
            assertThat(to.get(RawMemory.I32, 4L * (c * toStep + k)))
                .as("%d x %d: %d of line %d", lines, length, k, c)
                .isEqualTo(expected);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {-4, -3, -2, -1, 1, 2, 3, 4})
  void strides(int step) {
    for (int n : new int[] {0, 1, 15, 16, 17, 32, 33, 100, 1000}) {
      for (int words : new int[] {1, 2}) {
        try (Arena arena = Arena.ofConfined()) {
          int span = Math.max(0, n - 1) * Math.abs(step) * words;
          MemorySegment from = counted(arena, span + words);
          MemorySegment to = guarded(arena, n * words);
          int first = step > 0 ? 0 : span;
          long start = from.address() + 4L * first;
          int done =
              words == 1
                  ? VectorMoves.stride4(start, step, to.address(), n)
                  : VectorMoves.stride8(start, step, to.address(), n);
          int lanes = words == 1 ? VectorMoves.INTS : VectorMoves.LONGS;
          assertThat(done).isBetween(Math.max(0, n - lanes), n);
          for (int k = 0; k < n * words; k++) {
            int expected = k < done * words ? first + k / words * step * words + k % words : GUARD;
            assertThat(to.get(RawMemory.I32, 4L * k)).isEqualTo(expected);
          }
        }
      }
    }
  }

  @Test
  void bytes() {
    assumeTrue(VectorHardware.BITS >= 256);
    int n = 515;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(n, 64);
      MemorySegment ints = arena.allocate(4L * n, 64);
      MemorySegment back = arena.allocate(n, 64);
      for (int k = 0; k < n; k++) {
        bytes.set(ValueLayout.JAVA_BYTE, k, (byte) (k * 7));
      }
      for (int most : new int[] {255, 1, -1}) {
        int done =
            most < 0
                ? VectorMoves.widenSigned(bytes.address(), ints.address(), n)
                : VectorMoves.widenUnsigned(bytes.address(), most, ints.address(), n);
        assertThat(done).isEqualTo(n - n % VectorMoves.INTS);
        for (int k = 0; k < done; k++) {
          byte value = (byte) (k * 7);
          assertThat(ints.get(RawMemory.I32, 4L * k))
              .isEqualTo(most < 0 ? value : Math.min(most, value & 255));
        }
      }
      for (int k = 0; k < n; k++) {
        ints.set(RawMemory.I32, 4L * k, k % 3 == 0 ? 0 : (k - 250) * 77_777_777);
      }
      VectorMoves.narrow(ints.address(), back.address(), n);
      VectorMoves.narrowTruth(ints.address(), bytes.address(), n);
      for (int k = 0; k < n - n % VectorMoves.INTS; k++) {
        int value = ints.get(RawMemory.I32, 4L * k);
        assertThat(back.get(ValueLayout.JAVA_BYTE, k)).isEqualTo((byte) value);
        assertThat(bytes.get(ValueLayout.JAVA_BYTE, k)).isEqualTo((byte) (value == 0 ? 0 : 1));
      }
    }
  }

  @Test
  void everyMoveBecomesReady() throws InterruptedException {
    for (Move move : Move.values()) {
      assumeTrue(move != Move.BYTES || VectorHardware.BITS >= 256);
      for (int k = 0; k < 3000 && !move.ready(1 << 18); k++) {
        Thread.sleep(10);
      }
      assertThat(move.ready(0)).as(move.name()).isTrue();
    }
  }

  private static MemorySegment counted(Arena arena, int words) {
    MemorySegment memory = arena.allocate(4L * words, 64);
    for (int k = 0; k < words; k++) {
      memory.set(RawMemory.I32, 4L * k, k);
    }
    return memory;
  }

  private static MemorySegment guarded(Arena arena, int words) {
    MemorySegment memory = arena.allocate(4L * Math.max(1, words), 64);
    for (int k = 0; k < words; k++) {
      memory.set(RawMemory.I32, 4L * k, GUARD);
    }
    return memory;
  }
}
