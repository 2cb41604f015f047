package ristretto.kernels.cpu.codegen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.kernels.cpu.strip.StripSpec.Access.GATHERED;
import static ristretto.kernels.cpu.strip.StripSpec.Access.SCALAR;
import static ristretto.kernels.cpu.strip.StripSpec.Access.UNIT;
import static ristretto.kernels.scalar.ScalarType.F32;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import ristretto.kernels.KernelException;
import ristretto.kernels.cpu.strip.GatheredLines;
import ristretto.kernels.cpu.strip.Strip;
import ristretto.kernels.cpu.strip.StripSpec;
import ristretto.kernels.cpu.strip.TieredStrip;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.TapeBuilder;

/** Scalar code first, vector code when it is warm, the same bits from both. */
class TieredStripTest {
  private static final int N = 400_000;

  private static StripSpec sigmoid() {
    var t = new TapeBuilder();
    int e = t.apply(Op.EXP, t.apply(Op.NEG, t.input(0, F32)));
    int y = t.apply(Op.DIV, t.constant(F32, 1), t.apply(Op.ADD, e, t.constant(F32, 1)));
    return StripRun.map(t.build(y), UNIT);
  }

  @Test
  void vectorCodeTakesOverWithTheSameBitsAndNoAllocation() throws InterruptedException {
    StripSpec spec = sigmoid();
    Strip scalar = StripCompiler.compile(spec, "tiered", false);
    var strip =
        new TieredStrip(
            "tiered",
            spec,
            scalar,
            StripCompiler.compile(spec, "tiered", true).scratchBytes(),
            () -> StripCompiler.compile(spec, "tiered", true));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment x = arena.allocate(4L * N, 64);
      MemorySegment y = arena.allocate(4L * N, 64);
      MemorySegment scratch = arena.allocate(strip.scratchBytes() + 64L, 64);
      for (int i = 0; i < N; i++) {
        x.setAtIndex(ValueLayout.JAVA_FLOAT, i, (i - N / 2) * 0.003f);
      }
      long[] pointers = {x.address(), y.address()};
      long[] strides = new long[2];
      strip.run(pointers, strides, 1, N, scratch.address());
      float[] first = y.toArray(ValueLayout.JAVA_FLOAT);
      assertThat(first[N / 2]).isEqualTo(0.5f);
      for (int k = 0; k < 3000 && !strip.exchanged(scalar); k++) {
        strip.run(pointers, strides, 1, N, scratch.address());
        Thread.sleep(10);
      }
      assertThat(strip.exchanged(scalar)).isTrue();
      y.fill((byte) 0);
      var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
      long least = Long.MAX_VALUE;
      for (int k = 0; k < 50; k++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        strip.run(pointers, strides, 1, N, scratch.address());
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      }
      assertThat(least).isZero();
      assertThat(Arrays.equals(first, y.toArray(ValueLayout.JAVA_FLOAT))).isTrue();
    }
  }

  @Test
  void gatheredLinesAreEqualBeforeAndAfterTheExchange() throws InterruptedException {
    int rows = 1000;
    int n = 71;
    var t = new TapeBuilder();
    int sum = t.apply(Op.ADD, t.input(0, F32), t.input(1, F32));
    StripSpec spec =
        StripRun.map(t.build(t.apply(Op.MUL, sum, t.input(2, F32))), GATHERED, UNIT, SCALAR);
    Strip scalar = StripCompiler.compile(spec, "lines", false);
    Strip vector = StripCompiler.compile(spec, "lines", true);
    var strip = new TieredStrip("lines", spec, scalar, vector.scratchBytes(), () -> vector);
    try (Arena arena = Arena.ofConfined()) {
      float[] lines = new float[rows * n];
      int[] indices = new int[rows];
      for (int r = 0; r < rows; r++) {
        indices[r] = r % 2 == 0 ? r * 7 % rows : -1 - r * 3 % rows;
        for (int j = 0; j < n; j++) {
          lines[r * n + j] = r + j / 128f;
        }
      }
      MemorySegment x = arena.allocateFrom(ValueLayout.JAVA_FLOAT, lines);
      MemorySegment index = arena.allocateFrom(ValueLayout.JAVA_INT, indices);
      MemorySegment y = arena.allocate(4L * rows * n, 64);
      MemorySegment scratch = arena.allocate(strip.scratchBytes() + 64L, 64);
      MemorySegment factor = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 0.75f);
      long cell = arena.allocate(GatheredLines.BYTES, 8).address();
      GatheredLines.set(cell, x.address(), rows, 4L * n, index.address(), 4, 4);
      long[] pointers = {cell, x.address(), factor.address(), y.address()};
      long[] strides = {0, 4L * n, 0, 4L * n};
      for (int k = 0; k < 3000 && !strip.exchanged(scalar); k++) {
        y.fill((byte) 0x5A);
        strip.run(pointers, strides, rows, n, scratch.address());
        Thread.sleep(10);
      }
      assertThat(strip.exchanged(scalar)).isTrue();
      float[] before = y.toArray(ValueLayout.JAVA_FLOAT);
      y.fill((byte) 0x5A);
      strip.run(pointers, strides, rows, n, scratch.address());
      float[] after = y.toArray(ValueLayout.JAVA_FLOAT);
      for (int r = 0; r < rows; r++) {
        int from = indices[r] < 0 ? indices[r] + rows : indices[r];
        for (int j = 0; j < n; j++) {
          float expected = (lines[from * n + j] + lines[r * n + j]) * 0.75f;
          assertThat(before[r * n + j]).isEqualTo(expected);
          assertThat(after[r * n + j]).isEqualTo(expected);
        }
      }
    }
  }

  @Test
  void aFailureInTheBackgroundIsThrownByTheNextCall() throws InterruptedException {
    StripSpec spec = sigmoid();
    Strip scalar = StripCompiler.compile(spec, "failing", false);
    var strip =
        new TieredStrip(
            "tiered",
            spec,
            scalar,
            64,
            () -> {
              throw new KernelException("[kernel] as arranged");
            });
    try (Arena arena = Arena.ofConfined()) {
      long x = arena.allocate(4L * N, 64).address();
      long scratch = arena.allocate(128, 64).address();
      assertThatThrownBy(
              () -> {
                for (int k = 0; k < 3000; k++) {
                  strip.run(new long[] {x, x}, new long[2], 1, N, scratch);
                  Thread.sleep(k < 20 ? 0 : 10);
                }
              })
          .isInstanceOf(KernelException.class)
          .hasMessage("[kernel] as arranged");
    }
  }

  @Test
  void aFailureOfTheGeneratorNamesTheKernelAndTheSavedSource() {
    var t = new TapeBuilder();
    var spec =
        StripRun.map(
            t.build(
                t.random(
                    ristretto.kernels.scalar.Node.Distribution.UNIFORM,
                    F32,
                    t.input(0, ristretto.kernels.scalar.ScalarType.I64),
                    t.input(1, ristretto.kernels.scalar.ScalarType.I64))),
            UNIT,
            UNIT);
    assertThatThrownBy(() -> StripCompiler.compile(spec, "map_random_1", false))
        .isInstanceOf(KernelException.class)
        .message()
        .matches(
            "\\[kernel\\] generated code must compile; got java.lang.IllegalStateException: row %2"
                + " for kernel map_random_1, source saved as .*map_random_1_\\d+\\.tape; this is a"
                + " bug of Ristretto, please report it with that file");
  }
}
