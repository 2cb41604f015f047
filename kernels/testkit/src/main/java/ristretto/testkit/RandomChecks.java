package ristretto.testkit;

import static ristretto.expr.Ops.*;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import ristretto.expr.Context;
import ristretto.expr.DType;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;

/** Random numbers: uniform ones and integers to the bit, normal ones within 2 ulp. */
final class RandomChecks {
  private static final Tolerance TWO_ULP = new Tolerance(2, 0, 0);

  /** Draws that are compared with those of the cpu device, or with Philox. */
  private static final int N = 10_007;

  private RandomChecks() {}

  static List<Check> checks() {
    return List.of(
        recorded(
            "uniform f32 as recorded",
            uniform(F32, 5, 8),
            Tensor::toFloatArray,
            new float[] {
              0.76598215f, 0.34722108f, 0.96369445f, 0.6700758f,
              0.68331355f, 0.51599735f, 0.9948859f, 0.6372678f
            }),
        wide(
            recorded(
                "uniform f64 as recorded",
                uniform(F64, 5, 4),
                Tensor::toDoubleArray,
                new double[] {
                  0.7659821577998127, 0.34722112122833826, 0.9636945078821888, 0.670075781339128
                })),
        recorded(
            "uniform i32 as recorded",
            uniform(I32, 5, 4),
            Tensor::toIntArray,
            new int[] {-1005098979, 1491303360, -155930902, -1417013730}),
        recorded(
            "uniform i64 as recorded",
            uniform(I64, 5, 4),
            Tensor::toLongArray,
            new long[] {
              -4316867243748601452L,
              6405099160285634570L,
              -669718121567341462L,
              -6086027625355693725L
            }),
        recorded(
            "integers in a range as recorded",
            randomIntegers(I32, 21, -3, 10, 16),
            Tensor::toIntArray,
            new int[] {3, 4, 0, 7, -3, 9, -3, 7, -1, 1, 6, 3, 1, 2, 9, -2}),
        recorded(
            "integers in a wide range as recorded",
            randomIntegers(I64, 4, Long.MIN_VALUE / 2, Long.MAX_VALUE / 2, 4),
            Tensor::toLongArray,
            new long[] {
              -3390232276804590592L,
              3309426867969244160L,
              3217966235801749504L,
              -3964590194514318336L
            }),
        Check.of("uniform f32 is Philox's", false, RandomChecks::philox),
        near(
            "normal f32 as recorded",
            normal(F32, 9, 8),
            -0.57305694f,
            -1.2993845f,
            -1.7037493f,
            0.046064407f,
            0.5118883f,
            0.73298186f,
            -0.5874987f,
            0.08858445f),
        wide(
            near(
                "normal f64 as recorded",
                normal(F64, 9, 4),
                0.5222330325060628,
                0.9317670000330381,
                1.0242014937627237,
                0.1275306488134225)),
        likeTheProcessor(F32),
        wide(likeTheProcessor(F64)),
        Check.of("seed in a tensor", RandomChecks::seedInATensor));
  }

  private static Check wide(Check check) {
    return Check.of(check.name(), true, check.body());
  }

  private static <T> Check recorded(
      String name, Expr<T> expr, Function<Tensor<T>, Object> array, Object expected) {
    return Check.of(
        name,
        ctx -> {
          Object got = array.apply(ctx.eval(expr));
          Check.require(
              Arrays.deepEquals(new Object[] {got}, new Object[] {expected}),
              name,
              Arrays.deepToString(new Object[] {got}),
              Arrays.deepToString(new Object[] {expected}));
        });
  }

  private static Worst philox(Context ctx) {
    long seed = 0x1234_5678_9ABC_DEFL;
    Nd expected = Nd.build(new long[] {N}, i -> (Philox.words(seed, i[0])[0] >>> 8) * 0x1p-24);
    Tolerance.BITS.check(
        F32,
        expected,
        NdTensors.read(ctx.eval(uniform(F32, seed, N))),
        () -> "uniform numbers of seed " + seed);
    return Worst.NONE;
  }

  private static Check near(String name, Expr<?> expr, double... expected) {
    return Check.of(
        name,
        false,
        ctx ->
            new Worst(
                TWO_ULP.check(
                    expr.dtype(),
                    Nd.vector(expected),
                    NdTensors.read(ctx.eval(expr)),
                    () -> "seed 9"),
                "normal " + expr.dtype()));
  }

  private static Check likeTheProcessor(DType<?> dtype) {
    return Check.of(
        "normal " + dtype + " as on the cpu device",
        false,
        ctx -> {
          Expr<?> expr = normal(dtype, 17, N);
          try (Context cpu = Context.open("cpu")) {
            Nd expected = NdTensors.read(cpu.eval(expr));
            double ulps =
                TWO_ULP.check(dtype, expected, NdTensors.read(ctx.eval(expr)), () -> "seed 17");
            return new Worst(ulps, "normal " + dtype);
          }
        });
  }

  private static void seedInATensor(Context ctx) {
    Nd expected = NdTensors.read(ctx.eval(uniform(F32, 7, 33)));
    Expr<?> same = uniform(F32, ctx.tensor(new long[] {7}, 1), 33);
    Tolerance.BITS.check(F32, expected, NdTensors.read(ctx.eval(same)), () -> "seed 7");
  }
}
