package ristretto.opencl;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.kernels.scalar.ScalarType.F32;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarOps;
import ristretto.kernels.scalar.TapeBuilder;

/** Transcendental operations over all of their range are within the stated ulp. */
class OpenClMathTest {
  private static final int SAMPLES = 1 << 16;

  @BeforeEach
  void needsDevice() {
    Assumptions.assumeTrue(TestDevice.hardware() != null, TestDevice.reason());
  }

  @Test
  void unaryOperations() {
    check(
        Op.EXP,
        Op.EXP2,
        Op.EXPM1,
        Op.LOG,
        Op.LOG2,
        Op.LOG10,
        Op.LOG1P,
        Op.SIN,
        Op.COS,
        Op.TAN,
        Op.ASIN,
        Op.ACOS,
        Op.ATAN,
        Op.SINH,
        Op.COSH,
        Op.TANH,
        Op.SIGMOID,
        Op.ASINH,
        Op.ACOSH,
        Op.ATANH,
        Op.ERF,
        Op.CBRT,
        Op.SQRT);
  }

  @Test
  void binaryOperations() {
    check(Op.POW, Op.ATAN2, Op.HYPOT, Op.DIV);
  }

  private static void check(Op... ops) {
    float[] a = new float[SAMPLES];
    float[] b = new float[SAMPLES];
    var random = new Random(ops.length);
    for (int i = 0; i < SAMPLES; i++) {
      // Every exponent and sign, a random mantissa; and moderate numbers.
      boolean any = i % 2 == 0;
      a[i] =
          any
              ? Float.intBitsToFloat((i << 16) + random.nextInt(1 << 16))
              : (float) random.nextGaussian() * 4;
      b[i] = any ? Float.intBitsToFloat(random.nextInt()) : (random.nextInt(81) - 40) / 2f;
    }
    float[][] results = run(ops, a, b);
    for (int k = 0; k < ops.length; k++) {
      for (int i = 0; i < SAMPLES; i++) {
        Object y = ops[k].arity() == 2 ? (Object) (double) b[i] : null;
        double x = ops[k] == Op.ACOSH && a[i] < 1 ? Double.NaN : a[i];
        double expected = (Double) ScalarOps.apply(ops[k], x, y, null);
        assertThat(ulps(results[k][i], expected))
            .as("%s(%s, %s) = %s; expected %s", ops[k], a[i], b[i], results[k][i], expected)
            .isLessThanOrEqualTo(ops[k] == Op.SIGMOID ? 2.51 : 2.01);
      }
    }
  }

  private static float[][] run(Op[] ops, float[] a, float[] b) {
    var t = new TapeBuilder();
    int x = t.input(0, F32);
    int y = t.input(1, F32);
    int[] outputs =
        Arrays.stream(ops)
            .mapToInt(op -> op.arity() == 1 ? t.apply(op, x) : t.apply(op, x, y))
            .toArray();
    var stores = new ArrayList<Operand.Memory>();
    for (int k = 0; k < ops.length; k++) {
      stores.add(vector(2 + k));
    }
    var kernel =
        new Kernel.Map(
            "map_functions",
            Longs.of(a.length),
            t.build(outputs),
            List.of(vector(0), vector(1)),
            stores);
    float[][] results = new float[ops.length][a.length];
    try (var device = new OpenClDevice(TestDevice.hardware(), 0)) {
      var buffers = new Buffer[2 + ops.length];
      for (int k = 0; k < buffers.length; k++) {
        buffers[k] = device.allocate(4L * a.length);
      }
      device.write(buffers[0], 0, MemorySegment.ofArray(a));
      device.write(buffers[1], 0, MemorySegment.ofArray(b));
      device.prepare(kernel).run(buffers, new long[0]);
      for (int k = 0; k < ops.length; k++) {
        device.read(buffers[2 + k], 0, MemorySegment.ofArray(results[k]));
      }
    }
    return results;
  }

  private static Operand.Memory vector(int buffer) {
    return new Operand.Memory(F32, buffer, new Affine(0, Longs.of(1)));
  }

  private static double ulps(float actual, double expected) {
    float nearest = (float) expected;
    if (Float.isNaN(nearest) || Float.isNaN(actual)) {
      return Float.isNaN(nearest) == Float.isNaN(actual) ? 0 : Double.POSITIVE_INFINITY;
    }
    if (Float.isInfinite(nearest) || Float.isInfinite(actual)) {
      boolean edge = Math.abs(actual) >= Float.MAX_VALUE && Math.abs(nearest) >= Float.MAX_VALUE;
      return edge && Math.signum(actual) == Math.signum(nearest) ? 0 : Double.POSITIVE_INFINITY;
    }
    return Math.abs(actual - expected) / Math.ulp(nearest);
  }
}
