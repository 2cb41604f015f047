package ristretto.kernels.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.kernels.device.MemoryLimit;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/** Sums of long F32 rows are exact but for one rounding. */
class SumAccuracyTest {
  @ParameterizedTest
  @ValueSource(ints = {100_000, 10_000_000})
  void errorOfALongSum(int length) {
    ScalarType f32 = ScalarType.F32;
    var t = new TapeBuilder();
    int x = t.input(0, f32);
    int sum = t.input(1, f32);
    var pair = new KernelPair(new Random(length));
    int in = pair.argument(f32, length);
    int out = pair.argument(f32, 1);
    MemorySegment elements = pair.content(in);
    var random = new Random(1);
    double expected = 0;
    for (int i = 0; i < length; i++) {
      float value = random.nextFloat();
      elements.set(ValueLayout.JAVA_FLOAT_UNALIGNED, 4L * i, value);
      expected += value;
    }
    var kernel =
        new Kernel.Row(
            "sum",
            Longs.of(length),
            0,
            t.build(x, sum),
            List.of(new Operand.Memory(f32, in, new Affine(0, Longs.of(1)))),
            List.of(new Reduction(Reduction.Kind.SUM, f32, 0)),
            List.of(
                new Kernel.Store(
                    1, new Operand.Memory(f32, out, new Affine(0, Longs.of(0))), true)));
    try (var device = new CpuDevice(new CpuSettings(2, MemoryLimit.none("cpu")))) {
      byte[][] results = pair.run(device, kernel);
      float actual = MemorySegment.ofArray(results[out]).get(ValueLayout.JAVA_FLOAT_UNALIGNED, 0);
      assertThat(actual / expected).isCloseTo(1, within(1e-7));
    }
  }
}
