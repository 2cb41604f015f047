package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.BF16;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.F16;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I16;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.I8;
import ristretto.expr.type.U16;
import ristretto.expr.type.U32;
import ristretto.expr.type.U64;
import ristretto.expr.type.U8;

/** Conversions between all dtypes at the edges of their ranges, stored and inside a kernel. */
class CastTest {
  private static final List<DType<?>> DTYPES =
      List.of(F32, F64, I32, I64, BOOL, F16, BF16, I8, U8, I16, U16, U32, U64);
  private static final Context DEVICE = TestDevice.open();
  private static final Context ORACLE = Context.open("oracle");

  /** Edge cases; a test uses the ones that the source dtype represents. */
  private static final double[] EDGES = {
    0,
    -0.0,
    1,
    -1,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    0.999999,
    2.999,
    -7.999,
    100.5,
    127,
    128,
    129,
    -127,
    -128,
    -129,
    255,
    256,
    257,
    -255,
    -256,
    -257,
    300,
    511,
    512,
    65_535,
    65_536,
    2047,
    2048,
    2049,
    2051,
    4095,
    4097,
    65_504,
    65_519,
    65_520,
    65_521,
    -65_519,
    -65_520,
    70_000,
    6.103515625e-05,
    6.0975552e-05,
    5.9604645e-08,
    2.9802322e-08,
    2.9802326e-08,
    8.940697e-08,
    1e-8,
    1.00390625,
    1.01171875,
    1.005859375,
    0.1,
    1.0 / 3,
    Math.PI,
    -Math.E,
    16_777_216,
    16_777_217,
    16_777_219,
    33_554_433,
    2_147_483_520,
    2_147_483_647,
    2_147_483_648.0,
    -2_147_483_648.0,
    -2_147_483_649.0,
    4_294_967_296.0,
    4_294_967_297.0,
    1e10,
    -1e10,
    0x1p53 - 1,
    0x1p53,
    0x1p62,
    -0x1p62,
    0x1p63,
    -0x1p63,
    0x1p64,
    1e20,
    -1e20,
    1e-40,
    1e-45,
    1e-46,
    1e-320,
    Float.MAX_VALUE,
    3.4028235e38,
    3.39e38,
    3.3961775e38,
    1e39,
    -1e39,
    Double.MAX_VALUE,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    Double.NaN
  };

  @AfterAll
  static void close() {
    DEVICE.close();
    ORACLE.close();
  }

  static Stream<Arguments> pairs() {
    return DTYPES.stream().flatMap(from -> DTYPES.stream().map(to -> Arguments.of(from, to)));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void edges(DType<?> from, DType<?> to) {
    double[] values = DoubleStream.of(EDGES).filter(v -> holds(from, v)).toArray();
    // Whole vectors and a rest.
    double[] twice = DoubleStream.concat(Arrays.stream(values), Arrays.stream(values)).toArray();
    Nd operand = Nd.vector(twice);
    Nd expected = operand.map(v -> converted(from, to, v));
    for (Context ctx : TestDevice.contexts(DEVICE, ORACLE)) {
      Tensor<?> x = NdTensors.tensor(ctx, from, operand);
      List<Expr<?>> ways =
          List.of(
              x.cast(to),
              x.cast(to).cast(F64),
              x.flip(0).cast(to).flip(0),
              concat(0, x.cast(to).cast(F64), x.cast(F64)).slice(range(0, twice.length)));
      Portion portion = TestDevice.portion(DTYPES.indexOf(from) + DTYPES.indexOf(to));
      for (Expr<?> way : portion.of(ways, 1)) {
        check(expected, ctx.eval(way), ways.indexOf(way) + " from " + from + " to " + to);
      }
    }
  }

  private static void check(Nd expected, Tensor<?> actual, String how) {
    Tolerance.BITS.check(F64, expected, NdTensors.read(actual), () -> how + " " + expected);
  }

  private static boolean holds(DType<?> dtype, double v) {
    return switch (dtype) {
      case F32 _ -> Double.compare((float) v, v) == 0;
      case F64 _ -> true;
      case F16 _ -> Double.compare(half((float) v), v) == 0;
      case BF16 _ -> Double.compare(bfloat((float) v), v) == 0;
      case BOOL _ -> Double.compare(v, 0) == 0 || v == 1;
      case I32 _ -> v == (int) v && Double.compare(v, -0.0) != 0;
      case I64 _ -> v == (long) v && Math.abs(v) < 0x1p63 && Double.compare(v, -0.0) != 0;
      case I8 _ -> v == (byte) v && Double.compare(v, -0.0) != 0;
      case U8 _ -> v == ((int) v & 255) && Double.compare(v, -0.0) != 0;
      case I16 _, U16 _, U32 _ ->
          v == Math.rint(v) && dtype.holds((long) v) && Double.compare(v, -0.0) != 0;
      case U64 _ -> v == Math.rint(v) && v < 0x1p64 && Double.compare(v, -0.0) > 0;
    };
  }

  /** Conversion as the documentation of {@code cast} specifies it. */
  private static double converted(DType<?> from, DType<?> to, double v) {
    boolean whole = !from.isFloat();
    long bits = whole && v >= 0x1p63 ? (long) (v - 0x1p63) ^ Long.MIN_VALUE : (long) v;
    return switch (to) {
      case F32 _ -> (float) v;
      case F64 _ -> v;
      case F16 _ -> half((float) v);
      case BF16 _ -> bfloat((float) v);
      case BOOL _ -> v != 0 ? 1 : 0;
      case I32 _ -> whole ? (int) bits : (int) v;
      case I64 _ -> bits;
      case I8 _ -> whole ? (byte) bits : (byte) (int) v;
      case U8 _ -> (whole ? (int) bits : (int) v) & 255;
      case I16 _ -> whole ? (short) bits : Math.clamp(bits, Short.MIN_VALUE, Short.MAX_VALUE);
      case U16 _ -> whole ? bits & 0xFFFF : Math.clamp(bits, 0, 0xFFFF);
      case U32 _ -> whole ? bits & 0xFFFF_FFFFL : Math.clamp(bits, 0, 0xFFFF_FFFFL);
      case U64 _ ->
          whole
              ? new java.math.BigInteger(Long.toUnsignedString(bits)).doubleValue()
              : Math.clamp(Double.isNaN(v) ? 0 : v < 0x1p53 ? bits : v, 0, 0x1p64);
    };
  }

  private static float half(float v) {
    return Float.float16ToFloat(Float.floatToFloat16(v));
  }

  private static float bfloat(float v) {
    return (float) NdTensors.round(BF16, Nd.scalar(v)).data[0];
  }

  /** Every half, and both sides of every border between two of them. */
  @Test
  void everyHalf() {
    borders(F16, bits -> Float.float16ToFloat((short) bits), 0x7C00);
  }

  @Test
  void everyBfloat() {
    borders(BF16, bits -> Float.intBitsToFloat(bits << 16), 0x7F80);
  }

  private static void borders(DType<?> dtype, IntToDoubleFunction value, int infinity) {
    var inputs = new ArrayList<Double>();
    var expected = new ArrayList<Double>();
    for (int bits = 0; bits < infinity; bits++) {
      double low = value.applyAsDouble(bits);
      // Beyond the largest one comes what would follow it.
      double high =
          bits + 1 == infinity
              ? 2 * low - value.applyAsDouble(bits - 1)
              : value.applyAsDouble(bits + 1);
      double up = bits + 1 == infinity ? Double.POSITIVE_INFINITY : high;
      float border = (float) ((low + high) / 2);
      boolean exact = border == (low + high) / 2;
      add(inputs, expected, low, low);
      if (exact) {
        add(inputs, expected, border, bits % 2 == 0 ? low : up);
        add(inputs, expected, Math.nextDown(border), low);
        add(inputs, expected, Math.nextUp(border), up);
      }
    }
    double[] in = inputs.stream().mapToDouble(v -> v).toArray();
    double[] out = expected.stream().mapToDouble(v -> v).toArray();
    for (int sign : new int[] {1, -1}) {
      Tensor<F32> x = NdTensors.tensor(DEVICE, F32, Nd.vector(in).map(v -> sign * v));
      Nd want = Nd.vector(DoubleStream.of(out).map(v -> sign * v).toArray());
      check(want, DEVICE.eval(x.cast(dtype).cast(F64)), "inside a kernel");
      Tensor<?> stored = DEVICE.eval(x.cast(dtype));
      check(want, DEVICE.eval(stored.cast(F64)), "stored");
    }
  }

  private static void add(List<Double> inputs, List<Double> expected, double in, double out) {
    inputs.add(in);
    expected.add(out);
  }

  /** Without a cast: narrow results are rounded or wrapped where they are stored, only there. */
  @Test
  void storesNarrow() {
    Tensor<F16> a = DEVICE.eval(DEVICE.tensor(new float[] {2048, 65_504, 1, 0x1p-24f}).cast(F16));
    Tensor<F16> b = DEVICE.eval(DEVICE.tensor(new float[] {1, 32, 0x1p-11f, 0x1p-24f}).cast(F16));
    assertThat(doubles(a.plus(b))).containsExactly(2048, Double.POSITIVE_INFINITY, 1, 0x1p-23);
    assertThat(doubles(a.plus(b).minus(a))).containsExactly(1, 32, 0x1p-11, 0x1p-24);
    Tensor<I8> c = DEVICE.eval(DEVICE.tensor(new int[] {127, -128, 100}).cast(I8));
    assertThat(doubles(c.plus(c))).containsExactly(-2, 0, -56);
    assertThat(doubles(c.times(c).div(100))).containsExactly(-95, -93, 100);
    Tensor<U8> d = DEVICE.eval(DEVICE.tensor(new int[] {255, 0, 200}).cast(U8));
    assertThat(doubles(d.plus(1))).containsExactly(0, 1, 201);
    assertThat(doubles(d.neg())).containsExactly(1, 0, 56);
    assertThat(doubles(d.plus(d).shiftRight(1))).containsExactly(255, 0, 200);
  }

  private static <T> double[] doubles(Expr<T> e) {
    return DEVICE.eval(DEVICE.eval(e).cast(F64)).toDoubleArray();
  }

  /** Values that no double represents. */
  @Test
  void longs() {
    long[] values = {
      Long.MAX_VALUE,
      Long.MIN_VALUE,
      (1L << 53) + 1,
      (1L << 53) + 3,
      1L << 32,
      (1L << 40) + 200,
      -1,
      0x7FFF_FFFF_FFFF_FC00L,
      (1L << 24) + 1,
      (1L << 60) + (1L << 36),
      (1L << 60) + (1L << 36) + 1
    };
    for (Context ctx : TestDevice.contexts(DEVICE, ORACLE)) {
      Tensor<I64> x = ctx.tensor(values);
      double[] f64 = new double[values.length];
      float[] f32 = new float[values.length];
      boolean[] flags = new boolean[values.length];
      byte[] bytes = new byte[values.length];
      for (int k = 0; k < values.length; k++) {
        f64[k] = values[k];
        f32[k] = values[k];
        flags[k] = values[k] != 0;
        bytes[k] = (byte) values[k];
      }
      assertThat(ctx.eval(x.cast(F64)).toDoubleArray()).containsExactly(f64);
      assertThat(ctx.eval(x.cast(F32)).toFloatArray()).containsExactly(f32);
      assertThat(ctx.eval(x.cast(BOOL)).toBooleanArray()).containsExactly(flags);
      assertThat(ctx.eval(x.cast(I8)).toByteArray()).containsExactly(bytes);
      assertThat(ctx.eval(x.cast(U8)).toByteArray()).containsExactly(bytes);
      assertThat(ctx.eval(x.cast(I32)).toIntArray())
          .containsExactly(Arrays.stream(values).mapToInt(v -> (int) v).toArray());
      assertThat(ctx.eval(x.cast(F64).cast(I64)).toLongArray())
          .containsExactly(DoubleStream.of(f64).mapToLong(v -> (long) v).toArray());
    }
  }

  /** Long enough for vector code, in every position of a vector. */
  @Test
  void manyValues() {
    int n = 4099;
    double[] v = IntStream.range(0, n).mapToDouble(k -> EDGES[(k * 31) % EDGES.length]).toArray();
    Tensor<F64> x = DEVICE.tensor(v);
    for (DType<?> to : DTYPES) {
      Nd expected = Nd.vector(v).map(e -> converted(F64, to, e));
      for (int round = 0; round < 3; round++) {
        check(expected, DEVICE.eval(x.cast(to)), "to " + to);
      }
    }
  }
}
