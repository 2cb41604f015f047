package ristretto.testkit;

import static ristretto.expr.Ops.*;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;

/** Checks of random numbers: uniform ones and integers bit by bit, normal ones within 2 ulp. */
final class RandomChecks {
  private static final Tolerance TWO_ULP = new Tolerance(2, 0, 0);

  /** Number of draws that are compared with those of the cpu device, or with Philox. */
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
            new int[] {5, 9, 7, 8, -1, -3, 3, 5, 6, 1, 0, -1, 5, 2, 3, 3}),
        recorded(
            "integers in a wide range as recorded",
            randomIntegers(I64, 4, Long.MIN_VALUE / 2, Long.MAX_VALUE / 2, 4),
            Tensor::toLongArray,
            new long[] {
              3740034615518665728L,
              -1499172424858032128L,
              -1866295478872974336L,
              -3509916034079704064L
            }),
        Check.of("uniform f32 is Philox's", false, RandomChecks::philox),
        near(
            "normal f32 as recorded",
            normal(F32, 9, 8),
            -0.73745447f,
            -0.5661338f,
            0.42513123f,
            0.54155916f,
            -0.6297363f,
            -0.42845696f,
            0.84902334f,
            -0.46206814f),
        wide(
            near(
                "normal f64 as recorded",
                normal(F64, 9, 4),
                -0.6894515679374716,
                0.7672461066118789,
                -0.8467880409311949,
                -0.5324233057238641)),
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
