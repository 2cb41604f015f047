package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;

/**
 * I16, U16, U32 and U64 against exact arithmetic that wraps each result to the range of the dtype.
 */
class WideIntegersTest {
  private static final Context DEVICE = TestDevice.open();
  private static final Context ORACLE = Context.open("oracle");
  private static final int[] SIZES = {0, 1, 7, 8, 9, 17, 101, 1031};

  @AfterAll
  static void close() {
    DEVICE.close();
    ORACLE.close();
  }

  static List<DType<?>> dtypes() {
    return List.of(I16, U16, U32, U64);
  }

  /** Remainder modulo 2^bits within the range of the dtype. */
  private static BigInteger wrap(DType<?> dtype, BigInteger v) {
    BigInteger modulus = BigInteger.ONE.shiftLeft(8 * dtype.bytes());
    BigInteger r = v.mod(modulus);
    return dtype.isUnsigned() || r.compareTo(modulus.shiftRight(1)) < 0 ? r : r.subtract(modulus);
  }

  /** Edges of the range, small numbers and random bits. */
  private static BigInteger[] values(DType<?> dtype, int n, long seed) {
    var random = new Random(seed);
    BigInteger[] all = new BigInteger[n];
    for (int k = 0; k < n; k++) {
      long bits =
          switch (random.nextInt(5)) {
            case 0 -> random.nextInt(5) - 2;
            case 1 -> (1L << (8 * dtype.bytes() - 1)) + random.nextInt(5) - 2;
            case 2 -> random.nextInt(1000);
            default -> random.nextLong() >>> random.nextInt(64);
          };
      all[k] = wrap(dtype, BigInteger.valueOf(bits));
    }
    return all;
  }

  private static <T> Tensor<T> tensor(Context ctx, DType<T> dtype, BigInteger... values) {
    byte[] bytes = new byte[values.length * dtype.bytes()];
    for (int k = 0; k < values.length; k++) {
      for (int b = 0; b < dtype.bytes(); b++) {
        bytes[k * dtype.bytes() + b] = values[k].shiftRight(8 * b).byteValue();
      }
    }
    return ctx.tensor(dtype, MemorySegment.ofArray(bytes));
  }

  private static BigInteger[] read(Tensor<?> t) {
    byte[] bytes = t.toByteArray();
    int size = t.dtype().bytes();
    BigInteger[] all = new BigInteger[bytes.length / size];
    for (int k = 0; k < all.length; k++) {
      BigInteger v = BigInteger.ZERO;
      for (int b = 0; b < size; b++) {
        v = v.or(BigInteger.valueOf(bytes[k * size + b] & 0xFF).shiftLeft(8 * b));
      }
      all[k] = t.dtype().isInteger() ? wrap(t.dtype(), v) : v;
    }
    return all;
  }

  private record Binary<T>(
      String name, BinaryOperator<Expr<T>> ours, BinaryOperator<BigInteger> oracle) {}

  private static boolean isZero(BigInteger v) {
    return v.signum() == 0;
  }

  private static BigInteger remainder(BigInteger a, BigInteger b) {
    BigInteger r = isZero(b) ? b : a.remainder(b);
    return !isZero(r) && r.signum() != b.signum() ? r.add(b) : r;
  }

  private static BigInteger power(BigInteger a, BigInteger b, int bits) {
    if (b.signum() < 0) {
      boolean minusOne = a.equals(BigInteger.ONE.negate());
      return a.equals(BigInteger.ONE) || minusOne && !b.testBit(0)
          ? BigInteger.ONE
          : minusOne ? a : BigInteger.ZERO;
    }
    return a.modPow(b, BigInteger.ONE.shiftLeft(bits));
  }

  private static <T> List<Binary<T>> binaries(int bits) {
    BigInteger zero = BigInteger.ZERO;
    var all = new ArrayList<Binary<T>>();
    all.add(new Binary<>("plus", (a, b) -> a.plus(b), BigInteger::add));
    all.add(new Binary<>("minus", (a, b) -> a.minus(b), BigInteger::subtract));
    all.add(new Binary<>("times", (a, b) -> a.times(b), BigInteger::multiply));
    all.add(new Binary<>("div", (a, b) -> a.div(b), (x, y) -> isZero(y) ? zero : x.divide(y)));
    all.add(new Binary<>("rem", (a, b) -> a.rem(b), (x, y) -> isZero(y) ? zero : x.remainder(y)));
    all.add(
        new Binary<>(
            "floorDiv",
            (a, b) -> floorDiv(a, b),
            (x, y) -> isZero(y) ? zero : x.subtract(remainder(x, y)).divide(y)));
    all.add(new Binary<>("floorMod", (a, b) -> floorMod(a, b), WideIntegersTest::remainder));
    all.add(new Binary<>("min", (a, b) -> min(a, b), BigInteger::min));
    all.add(new Binary<>("max", (a, b) -> max(a, b), BigInteger::max));
    all.add(new Binary<>("and", (a, b) -> a.and(b), BigInteger::and));
    all.add(new Binary<>("or", (a, b) -> a.or(b), BigInteger::or));
    all.add(new Binary<>("xor", (a, b) -> a.xor(b), BigInteger::xor));
    all.add(new Binary<>("pow", (a, b) -> pow(a, b), (x, y) -> power(x, y, bits)));
    all.add(
        new Binary<>(
            "where", (a, b) -> where(a.lt(b), b, a), (x, y) -> x.compareTo(y) < 0 ? y : x));
    all.add(
        new Binary<>(
            "wrapped inside", (a, b) -> max(a.plus(b).times(a), b.minus(a)).shiftRight(1), null));
    return all;
  }

  @ParameterizedTest
  @MethodSource("dtypes")
  <T> void binaryOperations(DType<T> dtype) {
    List<Binary<T>> all = binaries(8 * dtype.bytes());
    for (Context ctx : TestDevice.contexts(DEVICE, ORACLE)) {
      for (int n : TestDevice.isCpu() ? SIZES : new int[] {1031}) {
        BigInteger[] x = values(dtype, n, n);
        BigInteger[] y = values(dtype, n, 31 + n);
        Tensor<T> a = tensor(ctx, dtype, x);
        Tensor<T> b = tensor(ctx, dtype, y);
        for (Binary<T> op : all) {
          BinaryOperator<BigInteger> oracle =
              op.oracle != null
                  ? op.oracle
                  : (u, v) ->
                      wrap(dtype, wrap(dtype, u.add(v)).multiply(u))
                          .max(wrap(dtype, v.subtract(u)))
                          .shiftRight(1);
          BigInteger[] want = new BigInteger[n];
          Arrays.setAll(want, k -> wrap(dtype, oracle.apply(x[k], y[k])));
          Expr<T> backwards = op.ours.apply(a.flip(0), b.flip(0)).flip(0);
          List<Expr<T>> ways = List.of(backwards, op.ours.apply(a, b));
          for (Expr<T> way : TestDevice.portion(0).of(ways, 1)) {
            assertThat(read(ctx.eval(way))).as("%s of %s %s", n, dtype, op.name).isEqualTo(want);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("dtypes")
  <T> void comparisons(DType<T> dtype) {
    int n = 517;
    BigInteger[] x = values(dtype, n, 1);
    BigInteger[] y = values(dtype, n, 2);
    for (Context ctx : TestDevice.contexts(DEVICE, ORACLE)) {
      Tensor<T> a = tensor(ctx, dtype, x);
      Tensor<T> b = tensor(ctx, dtype, y);
      List<Expr<BOOL>> ours =
          List.of(
              a.lt(b), a.le(b), a.gt(b), a.ge(b), a.eq(b), a.ne(b), a.lt(5), a.ge(-1), a.gt(7.0));
      BigInteger five = BigInteger.valueOf(5);
      BigInteger seven = BigInteger.valueOf(7);
      for (int p = 0; p < ours.size(); p++) {
        boolean[] got = ctx.eval(ours.get(p)).toBooleanArray();
        for (int k = 0; k < n; k++) {
          int c = x[k].compareTo(y[k]);
          boolean want =
              switch (p) {
                case 0 -> c < 0;
                case 1 -> c <= 0;
                case 2 -> c > 0;
                case 3 -> c >= 0;
                case 4 -> c == 0;
                case 5 -> c != 0;
                case 6 -> x[k].compareTo(five) < 0;
                case 7 -> x[k].compareTo(BigInteger.ONE.negate()) >= 0;
                default -> x[k].compareTo(seven) > 0;
              };
          assertThat(got[k]).as("comparison %s of %s and %s", p, x[k], y[k]).isEqualTo(want);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("dtypes")
  <T> void unaryOperations(DType<T> dtype) {
    int n = 261;
    int bits = 8 * dtype.bytes();
    BigInteger[] x = values(dtype, n, 3);
    for (Context ctx : TestDevice.contexts(DEVICE, ORACLE)) {
      Tensor<T> a = tensor(ctx, dtype, x);
      check(dtype, x, ctx.eval(neg(a)), BigInteger::negate);
      check(dtype, x, ctx.eval(abs(a)), BigInteger::abs);
      check(dtype, x, ctx.eval(sign(a)), v -> BigInteger.valueOf(v.signum()));
      check(dtype, x, ctx.eval(not(a)), BigInteger::not);
      check(dtype, x, ctx.eval(a.pow(2)), v -> v.multiply(v));
      check(dtype, x, ctx.eval(floor(a)), v -> v);
      check(
          dtype,
          x,
          ctx.eval(clamp(a, 3, 100)),
          v -> v.max(BigInteger.valueOf(3)).min(BigInteger.valueOf(100)));
      check(
          dtype,
          x,
          ctx.eval(reciprocal(a)),
          v -> v.abs().equals(BigInteger.ONE) ? v : BigInteger.ZERO);
      for (int s : new int[] {0, 1, 5, bits - 1}) {
        check(dtype, x, ctx.eval(a.shiftLeft(s)), v -> v.shiftLeft(s));
        check(dtype, x, ctx.eval(a.shiftRight(s)), v -> v.shiftRight(s));
      }
      check(dtype, x, ctx.eval(a.slice(from(-1, -1))), n, v -> v);
      Tensor<T> target = ctx.zeros(dtype, n);
      ctx.assign(target.slice(range(0, n)), a);
      ctx.assignAdd(target, a);
      check(dtype, x, target, v -> v.add(v));
    }
  }

  private static void check(
      DType<?> dtype, BigInteger[] x, Tensor<?> got, UnaryOperator<BigInteger> oracle) {
    BigInteger[] want = new BigInteger[x.length];
    Arrays.setAll(want, k -> wrap(dtype, oracle.apply(x[k])));
    assertThat(read(got)).isEqualTo(want);
  }

  private static void check(
      DType<?> dtype, BigInteger[] x, Tensor<?> got, int n, UnaryOperator<BigInteger> oracle) {
    BigInteger[] backwards = new BigInteger[n];
    Arrays.setAll(backwards, k -> x[n - 1 - k]);
    check(dtype, backwards, got, oracle);
  }

  private static BigInteger fold(BigInteger[] x, int from, int to, BinaryOperator<BigInteger> f) {
    return Arrays.stream(x, from, to).reduce(f).orElseThrow();
  }

  @ParameterizedTest
  @MethodSource("dtypes")
  <T> void reductionsAndOrder(DType<T> dtype) {
    int rows = 5;
    int n = 67;
    BigInteger[] x = values(dtype, rows * n, 4);
    for (Context ctx : TestDevice.contexts(DEVICE, ORACLE)) {
      Tensor<T> a = tensor(ctx, dtype, x).reshape(rows, n);
      BigInteger[][] row = new BigInteger[rows][];
      Arrays.setAll(row, r -> Arrays.copyOfRange(x, r * n, (r + 1) * n));
      byRow(dtype, row, ctx.eval(sum(a, 1)), r -> fold(r, 0, n, BigInteger::add));
      byRow(dtype, row, ctx.eval(sum(a.t(), 0)), r -> fold(r, 0, n, BigInteger::add));
      byRow(dtype, row, ctx.eval(prod(a, 1)), r -> fold(r, 0, n, BigInteger::multiply));
      byRow(dtype, row, ctx.eval(max(a, 1)), r -> fold(r, 0, n, BigInteger::max));
      byRow(dtype, row, ctx.eval(min(a, 1)), r -> fold(r, 0, n, BigInteger::min));
      byRow(
          dtype,
          row,
          ctx.eval(ptp(a, 1)),
          r -> fold(r, 0, n, BigInteger::max).subtract(fold(r, 0, n, BigInteger::min)));
      // A sum wraps before a kernel goes on with it.
      byRow(
          dtype,
          row,
          ctx.eval(sum(a, 1).keepDims().div(3)).reshape(rows),
          r -> wrap(dtype, fold(r, 0, n, BigInteger::add)).divide(BigInteger.valueOf(3)));
      byRow(
          dtype,
          row,
          ctx.eval(sum(a.t().times(a.t()), 0).shiftRight(1)),
          r -> wrap(dtype, fold(squares(dtype, r), 0, n, BigInteger::add)).shiftRight(1));
      BigInteger[][] ordered = row.clone();
      for (int r = 0; r < rows; r++) {
        ordered[r] = row[r].clone();
        Arrays.sort(ordered[r]);
      }
      BigInteger[] sorted = read(ctx.eval(sort(a, 1)));
      BigInteger[] top = read(ctx.eval(topK(a, 3, 1)));
      long[] order = ctx.eval(argSort(a, 1)).toLongArray();
      long[] first = ctx.eval(argTopK(a, 3, 1)).toLongArray();
      long[] highest = ctx.eval(argMax(a, 1)).toLongArray();
      long[] lowest = ctx.eval(argMin(a, 1)).toLongArray();
      BigInteger[] sums = read(ctx.eval(cumSum(a, 1)));
      BigInteger[] maxima = read(ctx.eval(cumMax(a, 1)));
      BigInteger[] minima = read(ctx.eval(cumMin(a, 1)));
      for (int r = 0; r < rows; r++) {
        for (int k = 0; k < n; k++) {
          assertThat(sorted[r * n + k]).isEqualTo(ordered[r][k]);
          assertThat(row[r][(int) order[r * n + k]]).isEqualTo(ordered[r][k]);
          assertThat(sums[r * n + k])
              .isEqualTo(wrap(dtype, fold(row[r], 0, k + 1, BigInteger::add)));
          assertThat(maxima[r * n + k]).isEqualTo(fold(row[r], 0, k + 1, BigInteger::max));
          assertThat(minima[r * n + k]).isEqualTo(fold(row[r], 0, k + 1, BigInteger::min));
        }
        for (int k = 0; k < 3; k++) {
          assertThat(top[r * 3 + k]).isEqualTo(ordered[r][n - 1 - k]);
          assertThat(row[r][(int) first[r * 3 + k]]).isEqualTo(ordered[r][n - 1 - k]);
        }
        assertThat((int) highest[r]).isEqualTo(List.of(row[r]).indexOf(ordered[r][n - 1]));
        assertThat((int) lowest[r]).isEqualTo(List.of(row[r]).indexOf(ordered[r][0]));
      }
    }
  }

  private static BigInteger[] squares(DType<?> dtype, BigInteger[] row) {
    return Arrays.stream(row).map(v -> wrap(dtype, v.multiply(v))).toArray(BigInteger[]::new);
  }

  private static void byRow(
      DType<?> dtype,
      BigInteger[][] rows,
      Tensor<?> got,
      java.util.function.Function<BigInteger[], BigInteger> oracle) {
    BigInteger[] want = new BigInteger[rows.length];
    Arrays.setAll(want, r -> wrap(dtype, oracle.apply(rows[r])));
    assertThat(read(got)).isEqualTo(want);
  }

  @ParameterizedTest
  @MethodSource("dtypes")
  <T> void productsAndIndices(DType<T> dtype) {
    int n = 13;
    BigInteger[] x = values(dtype, n * n, 5);
    for (Context ctx : TestDevice.contexts(DEVICE, ORACLE)) {
      Tensor<T> a = tensor(ctx, dtype, x).reshape(n, n);
      BigInteger[] product = new BigInteger[n * n];
      for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
          BigInteger sum = BigInteger.ZERO;
          for (int k = 0; k < n; k++) {
            sum = sum.add(x[i * n + k].multiply(x[j * n + k]));
          }
          product[i * n + j] = wrap(dtype, sum);
        }
      }
      assertThat(read(ctx.eval(dot(a, a.t())))).isEqualTo(product);

      int[] at = IntStream.range(0, n).map(k -> k % 4).toArray();
      Tensor<T> row = ctx.eval(a.slice(at(0)));
      BigInteger[] sums = new BigInteger[4];
      Arrays.fill(sums, BigInteger.ZERO);
      for (int k = 0; k < n; k++) {
        sums[k % 4] = sums[k % 4].add(x[k]);
      }
      Arrays.setAll(sums, k -> wrap(dtype, sums[k]));
      assertThat(read(ctx.eval(scatterAdd(Shape.of(4), 0, ctx.tensor(at), row)))).isEqualTo(sums);

      BigInteger[] taken = new BigInteger[n];
      Arrays.setAll(taken, k -> x[k % 4]);
      assertThat(read(ctx.eval(take(row, ctx.tensor(at), 0)))).isEqualTo(taken);
      assertThat(read(ctx.eval(concat(0, row, row).slice(range(n, 2 * n)))))
          .isEqualTo(Arrays.copyOf(x, n));
      assertThat(read(ctx.eval(padWith(row, 7, 1, 1)))[0]).isEqualTo(BigInteger.valueOf(7));
    }
  }

  @ParameterizedTest
  @MethodSource("dtypes")
  <T> void factories(DType<T> dtype) {
    try (Context ctx = TestDevice.open()) {
      assertThat(read(ctx.ones(dtype, 3))).containsOnly(BigInteger.ONE);
      assertThat(read(ctx.zeros(dtype, 3))).containsOnly(BigInteger.ZERO);
      assertThat(ctx.arange(dtype, 4).toString()).isEqualTo(dtype + "[4]\n[0 1 2 3]");
      assertThat(read(ctx.full(dtype, 0x7FFF, 2))).containsOnly(BigInteger.valueOf(0x7FFF));
      assertThat(ctx.tensor(dtype, new int[] {3, 5}).toString()).isEqualTo(dtype + "[2]\n[3 5]");
      assertThat(ctx.tensor(dtype, new long[] {3, 5, 7, 9}, 2, 2).shape())
          .isEqualTo(Shape.of(2, 2));
      assertThat(ctx.eval(scalar(dtype, 9).plus(1)).item()).isEqualTo(10);
      double largest =
          dtype.isUnsigned() ? Math.scalb(1.0, 8 * dtype.bytes()) - 1 : Short.MAX_VALUE;
      BigInteger most = BigInteger.ONE.shiftLeft(8 * dtype.bytes() - (dtype.isUnsigned() ? 0 : 1));
      Tensor<T> top = tensor(ctx, dtype, most.subtract(BigInteger.ONE));
      assertThat(top.item()).isEqualTo(largest);
      assertThat(top.toString()).isEqualTo(dtype + "[1]\n[" + most.subtract(BigInteger.ONE) + "]");
      long n = 4096;
      BigInteger[] random = read(ctx.eval(uniform(dtype, 5, n)));
      BigInteger ored = fold(random, 0, (int) n, BigInteger::or);
      BigInteger anded = fold(random, 0, (int) n, BigInteger::and);
      assertThat(wrap(dtype, ored)).isEqualTo(wrap(dtype, BigInteger.ONE.negate()));
      assertThat(anded).isEqualTo(BigInteger.ZERO);
      long[] between = ctx.eval(randomIntegers(dtype, 7, 3, 9, n).cast(I64)).toLongArray();
      assertThat(Arrays.stream(between).min()).hasValue(3);
      assertThat(Arrays.stream(between).max()).hasValue(8);
    }
  }

  @Test
  void largeU64() {
    try (Context ctx = TestDevice.open()) {
      Expr<I64> bits = ctx.tensor(new long[] {-1, Long.MIN_VALUE, 1L << 62, (1L << 63) + 1025});
      Tensor<?> u = ctx.eval(bits.cast(U64));
      assertThat(u)
          .hasToString(
              "u64[4]\n[18446744073709551615  9223372036854775808  4611686018427387904\n"
                  + "  9223372036854776833]");
      assertThat(ctx.eval(u.cast(F64)).toDoubleArray())
          .containsExactly(0x1p64, 0x1p63, 0x1p62, 0x1p63 + 2048);
      assertThat(ctx.eval(u.cast(F32)).toFloatArray())
          .containsExactly(0x1p64f, 0x1p63f, 0x1p62f, 0x1p63f);
      assertThat(ctx.full(U64, 0x1p63, 1).item()).isEqualTo(0x1p63);
      assertThat(ctx.eval(scalar(U64, 0x1p64 - 2048)).item()).isEqualTo(0x1p64 - 2048);
      assertThat(ctx.eval(ctx.full(U64, 0x1p63, 1).gt(1e15)).item()).isEqualTo(1);
      assertThat(ctx.eval(ctx.full(U64, 0x1p63, 1).lt(0x1p64)).item()).isEqualTo(1);
    }
  }

  /** All values of 16 bits: the widening casts, and back. */
  @Test
  void everyShort() {
    short[] all = new short[1 << 16];
    for (int k = 0; k < all.length; k++) {
      all[k] = (short) k;
    }
    try (Context ctx = TestDevice.open()) {
      Tensor<?> signed = ctx.tensor(all);
      Tensor<?> unsigned = ctx.tensor(U16, MemorySegment.ofArray(all));
      assertThat(signed.toShortArray()).isEqualTo(all);
      int[] i = signed.toIntArray();
      int[] u = unsigned.toIntArray();
      long[] l = unsigned.toLongArray();
      float[] f = ctx.eval(unsigned.cast(F32)).toFloatArray();
      double[] d = ctx.eval(signed.cast(F64)).toDoubleArray();
      for (int k = 0; k < all.length; k++) {
        assertThat(i[k] == (short) k && u[k] == k && l[k] == k && f[k] == k && d[k] == (short) k)
            .as("%s", k)
            .isTrue();
      }
      for (DType<?> wide : List.of(I32, I64, F32, F64, U32, U64, U16)) {
        Tensor<?> there = ctx.eval(signed.cast(wide));
        assertThat(ctx.eval(there.cast(I64).cast(I16)).toShortArray()).isEqualTo(all);
      }
      assertThat(ctx.eval(signed.cast(U16)).toByteArray()).isEqualTo(signed.toByteArray());
      assertThat(ctx.eval(ctx.arange(I32, 1 << 16).cast(U16)).toIntArray()).isEqualTo(u);
    }
  }

  @Test
  void floatsSaturate() {
    try (Context ctx = TestDevice.open()) {
      Tensor<?> x = ctx.tensor(new float[] {-1e30f, -1.5f, 2.9f, 70_000, 1e30f, Float.NaN});
      assertThat(ctx.eval(x.cast(I16)).toShortArray())
          .containsExactly(
              (short) -32768, (short) -1, (short) 2, (short) 32767, (short) 32767, (short) 0);
      assertThat(ctx.eval(x.cast(U16)).toIntArray()).containsExactly(0, 0, 2, 65535, 65535, 0);
      assertThat(ctx.eval(x.cast(U32)).toLongArray())
          .containsExactly(0, 0, 2, 70_000, 4294967295L, 0);
      assertThat(ctx.eval(x.cast(U64).cast(I64)).toLongArray())
          .containsExactly(0, 0, 2, 70_000, -1, 0);
    }
  }
}
