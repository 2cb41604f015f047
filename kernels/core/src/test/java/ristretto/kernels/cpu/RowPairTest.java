package ristretto.kernels.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.kernels.device.MemoryLimit;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/** Kernels so large that the last stage of some rows runs with the first stage of the next ones. */
class RowPairTest {
  @ParameterizedTest
  @CsvSource({"1031, 517, false", "2061, 517, true", "8195, 70, false", "517, 2048, true"})
  void stagesOfDifferentRowsTogether(int rows, int length, boolean inPlace) {
    ScalarType f32 = ScalarType.F32;
    var t = new TapeBuilder();
    int x = t.input(0, f32);
    int most = t.input(1, f32);
    int sum = t.input(2, f32);
    int shifted = t.apply(Op.SUB, x, most);
    int share = t.apply(Op.SUB, shifted, sum);
    var extents = Longs.of(rows, length);
    var map = new Affine(0, Longs.of(length, 1));
    var pair = new KernelPair(new Random(rows));
    int in = pair.argument(f32, (long) rows * length);
    int out = inPlace ? in : pair.argument(f32, (long) rows * length);
    var kernel =
        new Kernel.Row(
            "row",
            extents,
            1,
            t.build(x, shifted, share),
            List.of(new Operand.Memory(f32, in, map)),
            List.of(
                new Reduction(Reduction.Kind.MAX, f32, 0),
                new Reduction(Reduction.Kind.SUM, f32, 1)),
            List.of(new Kernel.Store(2, new Operand.Memory(f32, out, map), false)));
    try (var device = new CpuDevice(new CpuSettings(3, MemoryLimit.none("cpu")))) {
      byte[][] results = pair.run(device, kernel);
      check(pair.content(in), MemorySegment.ofArray(results[out]), rows, length);
    }
  }

  /** Elements are eighths of small integers: sums are exact. */
  private static void check(MemorySegment x, MemorySegment y, int rows, int length) {
    for (int row = 0; row < rows; row++) {
      long at = 4L * row * length;
      float most = Float.NEGATIVE_INFINITY;
      for (int j = 0; j < length; j++) {
        most = Math.max(most, x.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at + 4L * j));
      }
      float sum = 0;
      for (int j = 0; j < length; j++) {
        sum += x.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at + 4L * j) - most;
      }
      for (int j = 0; j < length; j++) {
        float expected = x.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at + 4L * j) - most - sum;
        float actual = y.get(ValueLayout.JAVA_FLOAT_UNALIGNED, at + 4L * j);
        if (actual != expected) {
          assertThat(actual).as("row %d element %d", row, j).isEqualTo(expected);
        }
      }
    }
  }
}
