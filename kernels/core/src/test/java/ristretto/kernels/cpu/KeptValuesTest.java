package ristretto.kernels.cpu;

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

/** Values that a later stage reads again, in rows of many tiles. */
class KeptValuesTest {
  /** Strides of the kept dimension, then of three reduced ones that are not one. */
  @ParameterizedTest
  @CsvSource({
    "2, 40, 2, 50, 40000, 1000, 300, 1",
    "17, 1031, 1, 1, 1, 17, 17, 17",
    "3, 2000, 1, 2, 3, 24, 24, 9"
  })
  void keptOverSeveralTiles(long m, long a, long b, long c, long s, long t, long u, long v) {
    ScalarType f32 = ScalarType.F32;
    var tape = new TapeBuilder();
    int exponential = tape.apply(Op.EXP, tape.input(0, f32));
    int scaled = tape.apply(Op.MUL, exponential, tape.constant(f32, 4000));
    int share = tape.apply(Op.DIV, scaled, tape.input(1, f32));
    var pair = new KernelPair(new Random(1));
    var map = new Affine(0, Longs.of(s, t, u, v));
    long elements = 1 + (m - 1) * s + (a - 1) * t + (b - 1) * u + (c - 1) * v;
    int in = pair.argument(f32, elements);
    int out = pair.argument(f32, elements);
    var kernel =
        new Kernel.Row(
            "shares",
            Longs.of(m, a, b, c),
            1,
            tape.build(exponential, share),
            List.of(new Operand.Memory(f32, in, map)),
            List.of(new Reduction(Reduction.Kind.SUM, f32, 0)),
            List.of(new Kernel.Store(1, new Operand.Memory(f32, out, map), false)));
    try (var device = new CpuDevice(new CpuSettings(1, MemoryLimit.none("cpu")))) {
      pair.compare(device, kernel, 1e-5);
    }
  }
}
