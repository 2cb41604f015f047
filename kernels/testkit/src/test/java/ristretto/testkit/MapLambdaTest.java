package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.function.DoubleBinaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;

/** Lambdas of one to four inputs, of every type and result, on operands that broadcast. */
class MapLambdaTest {
  private Context ctx;
  private Nd a;
  private Nd b;
  private Nd c;
  private Nd d;

  @AfterEach
  void close() {
    ctx.close();
  }

  /** A matrix, a row, a column and a strided matrix of small whole numbers. */
  private void open(String device) {
    ctx = Context.open(device);
    a = counting(0, 17, 5);
    b = counting(3, 5);
    c = counting(-7, 17, 1);
    d = counting(11, 17, 5);
  }

  private static Nd counting(int start, long... shape) {
    double[] data = new double[Nd.size(shape)];
    for (int k = 0; k < data.length; k++) {
      data[k] = Math.floorMod(start + 5 * k, 13) - 6;
    }
    return new Nd(shape, data);
  }

  private <T> Tensor<T> on(DType<T> dtype, Nd v, TensorLayout layout) {
    return layout.tensor(ctx, dtype, NdTensors.round(dtype, v));
  }

  private void check(Expr<?> ours, Nd expected) {
    Tolerance.EQUAL.check(
        ours.dtype(), expected, NdTensors.read(ctx.eval(ours)), () -> ours.toString());
  }

  private static double flag(boolean v) {
    return v ? 1 : 0;
  }

  private Nd zip3(DoubleBinaryOperator f, DoubleBinaryOperator g) {
    return a.zip(b, f).zip(c, g);
  }

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void floats(String device) {
    open(device);
    Expr<F32> x = on(F32, a, TensorLayout.CONTIGUOUS);
    Expr<F32> y = on(F32, b, TensorLayout.FLIPPED);
    Expr<F32> z = on(F32, c, TensorLayout.STEPPED);
    Expr<F32> w = on(F32, d, TensorLayout.TRANSPOSED);
    Nd xyz = zip3((u, v) -> u - v, (u, v) -> u * v);
    check(map(x, v -> v > 0 ? v : v / 2), a.map(v -> v > 0 ? v : v / 2));
    check(map(x, y, (u, v) -> u - 2 * v), a.zip(b, (u, v) -> u - 2 * v));
    check(map(x, y, z, (u, v, s) -> (u - v) * s), xyz);
    check(map(x, y, z, w, (u, v, s, t) -> (u - v) * s + t), xyz.zip(d, Double::sum));
    check(map(F32, x, v -> v + 1), a.map(v -> v + 1));
    check(map(F64, x, v -> v * 0.1), a.map(v -> v * 0.1));
    check(map(I32, x, y, (u, v) -> (int) (u * v)), a.zip(b, (u, v) -> u * v));
    check(map(I64, x, y, z, (u, v, s) -> (long) ((u - v) * s)), xyz);
    check(
        map(BOOL, x, y, z, w, (u, v, s, t) -> (u - v) * s > t), xyz.zip(d, (u, v) -> flag(u > v)));
    check(mapIndexed(x, (v, i) -> v + i), Nd.build(a.shape, i -> a.at(i) + 5 * i[0] + i[1]));
    check(
        mapIndexed(w.t(), (v, i) -> v * (i % 3)),
        Nd.build(new long[] {5, 17}, i -> d.at(i[1], i[0]) * ((17 * i[0] + i[1]) % 3)));
  }

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void doubles(String device) {
    open(device);
    Expr<F64> x = on(F64, a, TensorLayout.STEPPED);
    Expr<F64> y = on(F64, b, TensorLayout.CONTIGUOUS);
    Expr<F64> z = on(F64, c, TensorLayout.TRANSPOSED);
    Expr<F64> w = on(F64, d, TensorLayout.FLIPPED);
    Nd xyz = zip3((u, v) -> u - v, (u, v) -> u * v);
    check(map(x, v -> v > 0 ? v : v / 3), a.map(v -> v > 0 ? v : v / 3));
    check(map(x, y, (u, v) -> u - 2 * v), a.zip(b, (u, v) -> u - 2 * v));
    check(map(x, y, z, (u, v, s) -> (u - v) * s), xyz);
    check(map(x, y, z, w, (u, v, s, t) -> (u - v) * s + t), xyz.zip(d, Double::sum));
    check(map(F32, x, v -> (float) (v * 0.1)), a.map(v -> v * 0.1));
    check(map(F64, x, y, (u, v) -> u * v), a.zip(b, (u, v) -> u * v));
    check(map(I32, x, y, z, (u, v, s) -> (int) ((u - v) * s)), xyz);
    check(map(I64, x, y, z, w, (u, v, s, t) -> (long) ((u - v) * s + t)), xyz.zip(d, Double::sum));
    check(map(BOOL, x, v -> v >= 2), a.map(v -> flag(v >= 2)));
    check(mapIndexed(x, (v, i) -> v - i), Nd.build(a.shape, i -> a.at(i) - 5 * i[0] - i[1]));
  }

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void ints(String device) {
    open(device);
    Expr<I32> x = on(I32, a, TensorLayout.TRANSPOSED);
    Expr<I32> y = on(I32, b, TensorLayout.STEPPED);
    Expr<I32> z = on(I32, c, TensorLayout.CONTIGUOUS);
    Expr<I32> w = on(I32, d, TensorLayout.INNER);
    Nd xyz = zip3((u, v) -> u - v, (u, v) -> u * v);
    check(map(x, v -> v > 0 ? v : -3 * v), a.map(v -> v > 0 ? v : -3 * v));
    check(map(x, y, (u, v) -> u & v), a.zip(b, (u, v) -> (int) u & (int) v));
    check(map(x, y, z, (u, v, s) -> (u - v) * s), xyz);
    check(map(x, y, z, w, (u, v, s, t) -> (u - v) * s + t), xyz.zip(d, Double::sum));
    check(map(F32, x, v -> v / 4f), a.map(v -> v / 4));
    check(map(F64, x, y, (u, v) -> u / 4.0 + v), a.zip(b, (u, v) -> u / 4 + v));
    check(map(I32, x, y, z, (u, v, s) -> (u - v) * s), xyz);
    check(
        map(I64, x, y, z, w, (u, v, s, t) -> ((u - v) * s + t) * 10_000_000_000L),
        xyz.zip(d, (u, v) -> (u + v) * 1e10));
    check(map(BOOL, x, v -> (v & 1) == 0), a.map(v -> flag(v % 2 == 0)));
    check(
        mapIndexed(x, (v, i) -> v * (int) i), Nd.build(a.shape, i -> a.at(i) * (5 * i[0] + i[1])));
    // Java's division, which would throw for a divisor of zero.
    check(map(x, y, (u, v) -> v == 0 ? 7 : u / v), a.zip(b, (u, v) -> v == 0 ? 7 : (int) (u / v)));
  }

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void longs(String device) {
    open(device);
    Expr<I64> x = on(I64, a, TensorLayout.INNER);
    Expr<I64> y = on(I64, b, TensorLayout.CONTIGUOUS);
    Expr<I64> z = on(I64, c, TensorLayout.FLIPPED);
    Expr<I64> w = on(I64, d, TensorLayout.STEPPED);
    Nd xyz = zip3((u, v) -> u - v, (u, v) -> u * v);
    check(map(x, v -> v > 0 ? v : -3 * v), a.map(v -> v > 0 ? v : -3 * v));
    check(map(x, y, (u, v) -> u ^ v), a.zip(b, (u, v) -> (long) u ^ (long) v));
    check(map(x, y, z, (u, v, s) -> (u - v) * s), xyz);
    check(map(x, y, z, w, (u, v, s, t) -> (u - v) * s + t), xyz.zip(d, Double::sum));
    check(map(F32, x, v -> v / 4f), a.map(v -> v / 4));
    check(map(F64, x, y, (u, v) -> u / 4.0 + v), a.zip(b, (u, v) -> u / 4 + v));
    check(map(I32, x, y, z, (u, v, s) -> (int) ((u - v) * s)), xyz);
    check(map(I64, x, y, z, w, (u, v, s, t) -> (u - v) * s - t), xyz.zip(d, (u, v) -> u - v));
    check(map(BOOL, x, v -> v % 3 == 0), a.map(v -> flag(v % 3 == 0)));
    check(mapIndexed(x, (v, i) -> v * i), Nd.build(a.shape, i -> a.at(i) * (5 * i[0] + i[1])));
  }

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void booleans(String device) {
    open(device);
    a = a.map(v -> flag(v > 0));
    b = b.map(v -> flag(v > 0));
    c = c.map(v -> flag(v > 0));
    d = d.map(v -> flag(v > 0));
    Expr<BOOL> x = on(BOOL, a, TensorLayout.CONTIGUOUS);
    Expr<BOOL> y = on(BOOL, b, TensorLayout.STEPPED);
    Expr<BOOL> z = on(BOOL, c, TensorLayout.FLIPPED);
    Expr<BOOL> w = on(BOOL, d, TensorLayout.TRANSPOSED);
    Nd xyz = zip3((u, v) -> u * (1 - v), Math::max);
    check(map(x, v -> !v), a.map(v -> 1 - v));
    check(map(x, y, (u, v) -> u && !v), a.zip(b, (u, v) -> u * (1 - v)));
    check(map(x, y, z, (u, v, s) -> u && !v || s), xyz);
    check(map(x, y, z, w, (u, v, s, t) -> (u && !v || s) != t), xyz.zip(d, (u, v) -> flag(u != v)));
    check(map(F32, x, v -> v ? 0.5f : -1), a.map(v -> v != 0 ? 0.5 : -1));
    check(map(F64, x, y, (u, v) -> u ? v ? 1 : 2 : 3), a.zip(b, (u, v) -> 3 - u - u * v));
    check(map(I32, x, y, z, (u, v, s) -> u && !v || s ? 5 : 6), xyz.map(v -> 6 - v));
    check(map(I64, x, v -> v ? 1L << 40 : 0), a.map(v -> v * 0x1p40));
    check(map(BOOL, x, y, (u, v) -> u ^ v), a.zip(b, (u, v) -> flag(u != v)));
    check(
        mapIndexed(x, (v, i) -> v ^ i % 2 == 0),
        Nd.build(a.shape, i -> flag(a.at(i) != 0 ^ (5 * i[0] + i[1]) % 2 == 0)));
  }

  /** Loops, helpers, captured values; several lambdas in one kernel; storage types. */
  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void bodies(String device) {
    open(device);
    Expr<F32> x = on(F32, a, TensorLayout.CONTIGUOUS);
    for (int k = 1; k < 4; k++) {
      int times = k;
      float by = k / 2f;
      check(
          map(
              x,
              v -> {
                float sum = 0;
                for (int i = 0; i < times; i++) {
                  sum += v * by;
                }
                return sum;
              }),
          a.map(v -> times * v * by));
    }
    check(map(x, MapLambdaTest::triangle), a.map(v -> triangle((float) v)));
    check(
        map(map(x, v -> v + 1), map(x.flip(0), v -> v * 2), (u, v) -> u * v),
        a.map(v -> v + 1).zip(a.flip(0), (u, v) -> u * 2 * v));
    check(sum(map(x, v -> v * v), 0).plus(1), a.map(v -> v * v).sum(0).map(v -> v + 1));
    Tensor<F32> empty = ctx.zeros(F32, 0, 3);
    assertThat(ctx.eval(map(empty, v -> v + 1)).shape()).isEqualTo(Shape.of(0, 3));
  }

  private static float triangle(float v) {
    float sum = 0;
    while (v > 0) {
      sum += v;
      v -= 1;
    }
    return sum;
  }
}
