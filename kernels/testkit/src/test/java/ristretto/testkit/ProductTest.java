package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;
import static ristretto.testkit.ProductCases.s;
import static ristretto.testkit.ShapedCase.of;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.testkit.OpCase.Domain;

/** Matrix products of every rank, layout and dtype, and what fuses with them. */
class ProductTest {
  private static final Context DEVICE = TestDevice.open();
  private static final Context ORACLE = Context.open("oracle");

  @AfterAll
  static void close() {
    DEVICE.close();
    ORACLE.close();
  }

  static Stream<ShapedCase> cases() {
    return ProductCases.CASES.stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void agreesWithTheOracle(ShapedCase op) {
    op.check(DEVICE, TestDevice.portion(ProductCases.CASES.indexOf(op)));
  }

  @OnCpu(OnCpu.PLANS)
  @ParameterizedTest
  @MethodSource("cases")
  void plansKeepTheRules(ShapedCase op) {
    op.checkLayouts(ORACLE, Portion.ALL);
  }

  /** Every pair of layouts: transposed, flipped, stepped and repeated operands. */
  @Test
  void everyPairOfLayouts() {
    ShapedCase product = ProductCases.CASES.getFirst();
    List<List<long[]>> shapes =
        List.of(of(s(5, 7), s(7, 3)), of(s(2, 5, 7), s(2, 7, 3)), of(s(7), s(7, 3)));
    for (TensorLayout left : TensorLayout.values()) {
      Portion portion = TestDevice.portion(left.ordinal());
      for (TensorLayout right : portion.of(List.of(TensorLayout.values()), 3)) {
        for (List<long[]> shape : portion.of(shapes, 1)) {
          for (DType<?> dtype : portion.of(List.of(F32, F64, I64), 1)) {
            product.op().check(DEVICE, dtype, List.of(left, right), shape);
          }
          product.op().check(ORACLE, F32, List.of(left, right), shape);
        }
      }
    }
  }

  /** No whole numbers, and sums that cancel. */
  @Test
  void largeProducts() {
    ShapedCase product = ProductCases.CASES.getFirst();
    for (DType<?> dtype : List.of(F32, F64)) {
      new OpCase(
              "dot",
              List.of(dtype),
              Domain.ANY,
              new Tolerance(8, 1e-6, 100),
              2,
              product.op().ours(),
              product.op().oracle())
          .check(DEVICE, dtype, List.of(TensorLayout.CONTIGUOUS), of(s(67, 131), s(131, 71)));
      product
          .op()
          .check(DEVICE, dtype, List.of(TensorLayout.TRANSPOSED), of(s(129, 67), s(67, 127)));
      product
          .op()
          .check(DEVICE, dtype, List.of(TensorLayout.CONTIGUOUS), of(s(3, 1031), s(1031, 2)));
    }
  }

  /** Sizes below and above those of blocks, plain and transposed, with sums that overflow. */
  @Test
  void integerProductsWrap() {
    long[][] sizes = {{5, 7, 9}, {4, 1, 8}, {3, 40, 20}, {67, 131, 271}, {9, 257, 8}};
    for (DType<?> dtype : List.of(I8, U8, I16, U16, I32, U32, I64, U64)) {
      for (long[] size : sizes) {
        for (int layout = 0; layout < 4; layout++) {
          wrapped(dtype, size, (layout & 1) != 0, (layout & 2) != 0);
        }
      }
    }
  }

  private static <T> void wrapped(DType<T> dtype, long[] size, boolean left, boolean right) {
    long m = size[0];
    long k = size[1];
    long n = size[2];
    Tensor<T> a = integers(dtype, 1, left ? s(2, k, m) : s(2, m, k));
    Tensor<T> b = integers(dtype, 2, right ? s(n, k) : s(k, n));
    Expr<T> product = dot(left ? a.swapAxes(-1, -2) : a, right ? b.t() : b);
    long[] x = DEVICE.eval(a.cast(I64)).toLongArray();
    long[] y = DEVICE.eval(b.cast(I64)).toLongArray();
    long[] z = new long[(int) (2 * m * n)];
    for (int p = 0; p < z.length; p++) {
      int batch = (int) (p / (m * n) * m * k);
      int i = (int) (p / n % m);
      int j = (int) (p % n);
      for (int l = 0; l < k; l++) {
        long u = x[batch + (int) (left ? l * m + i : i * k + l)];
        z[p] += u * y[(int) (right ? j * k + l : l * n + j)];
      }
      z[p] =
          switch (dtype.scalar()) {
            case I8 -> (byte) z[p];
            case U8 -> z[p] & 0xFF;
            case I16 -> (short) z[p];
            case U16 -> z[p] & 0xFFFF;
            case I32 -> (int) z[p];
            case U32 -> z[p] & 0xFFFFFFFFL;
            default -> z[p];
          };
    }
    assertThat(DEVICE.eval(product.cast(I64)).toLongArray())
        .as("%s %s %s %s", dtype, List.of(m, k, n), left, right)
        .isEqualTo(z);
    Tensor<T> columns = DEVICE.eval(dtype == (Object) I64 ? product.plus(product) : product);
    DEVICE.assign(columns, product.swapAxes(-1, -2).swapAxes(-1, -2));
    assertThat(DEVICE.eval(columns.cast(I64)).toLongArray()).isEqualTo(z);
  }

  private static <T> Tensor<T> integers(DType<T> dtype, long seed, long... dims) {
    long[] values = new Random(seed).longs(Shape.of(dims).size()).toArray();
    return DEVICE.eval(DEVICE.tensor(values, dims).cast(dtype));
  }

  @Test
  void notANumberStaysOne() {
    Tensor<F32> a = DEVICE.tensor(new float[] {Float.NaN, 1, 2, Float.POSITIVE_INFINITY}, 2, 2);
    Tensor<F32> b = DEVICE.tensor(new float[] {0, 1, 0, 1}, 2, 2);
    float[] c = DEVICE.eval(dot(a, b)).toFloatArray();
    assertThat(c[0]).isNaN();
    assertThat(c[1]).isNaN();
    assertThat(c[2]).isNaN();
    assertThat(c[3]).isEqualTo(Float.POSITIVE_INFINITY);
  }

  /** Previous values of the target have no effect, not even NaN. */
  @Test
  void theTargetsOldValuesPlayNoPart() {
    Tensor<F32> a = DEVICE.ones(F32, 3, 2);
    Tensor<F32> c = DEVICE.full(F32, Double.NaN, 3, 3);
    DEVICE.assign(c, dot(a, a.t()));
    assertThat(c.toFloatArray()).containsOnly(2);
    DEVICE.assign(c, Double.NaN);
    DEVICE.assign(c, dot(a, a.t()).times(0.5).plus(1));
    assertThat(c.toFloatArray()).containsOnly(2);
    DEVICE.assign(c, Double.NaN);
    DEVICE.assign(c, dot(DEVICE.ones(F32, 3, 0), DEVICE.ones(F32, 0, 3)));
    assertThat(c.toFloatArray()).containsOnly(0);
    DEVICE.assignAdd(c, dot(DEVICE.ones(F32, 3, 0), DEVICE.ones(F32, 0, 3)));
    assertThat(c.toFloatArray()).containsOnly(0);
  }
}
