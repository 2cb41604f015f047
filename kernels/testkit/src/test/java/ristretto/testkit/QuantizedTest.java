package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.*;

import java.util.List;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Gradients;
import ristretto.expr.QuantizedTensor;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.kernels.block.BlockFormat;

/** Block-quantized matrices against products in double of the decoded elements. */
class QuantizedTest {
  private static final Context CTX = TestDevice.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  /** Root mean square of the error of normally distributed elements, by format. */
  private static double errorOf(BlockFormat format) {
    return switch (format) {
      case Q8_0 -> 0.006;
      case I8 -> 0.012;
      case Q6_K -> 0.022;
      case Q4_K -> 0.08;
      case Q4_0 -> 0.1;
    };
  }

  private static float[] normal(int count, long seed) {
    var random = new Random(seed);
    var all = new float[count];
    for (int k = 0; k < count; k++) {
      all[k] = (float) random.nextGaussian();
    }
    return all;
  }

  private static Tensor<F32> matrix(int rows, int cols, long seed) {
    return CTX.tensor(normal(rows * cols, seed), rows, cols);
  }

  private static Expr<F32> decoded(QuantizedTensor q) {
    return CTX.eval(q);
  }

  /** Checks a product {@code [m, k] by [k, n]} with an oracle in double. */
  private static void check(float[] y, float[] x, float[] w, int m, int n, int k) {
    assertThat(y).hasSize(m * n);
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < n; j++) {
        double sum = 0;
        double size = 0;
        for (int l = 0; l < k; l++) {
          double term = (double) x[i * k + l] * w[l * n + j];
          sum += term;
          size += Math.abs(term);
        }
        assertThat((double) y[i * n + j])
            .as("%s %s of %s %s %s", i, j, m, n, k)
            .isCloseTo(sum, within(1e-6 * size + 1e-30));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void errorsAreSmall(BlockFormat format) {
    Tensor<F32> w = matrix(1024, 65, 1);
    for (int axis : format == BlockFormat.I8 ? new int[] {0, 1} : new int[] {0}) {
      QuantizedTensor q = quantized(w, format, axis);
      double sum = CTX.eval(sum(square(q.minus(w)))).item();
      assertThat(Math.sqrt(sum / w.shape().size())).isLessThan(errorOf(format));
    }
  }

  private static QuantizedTensor quantized(Tensor<F32> w, BlockFormat format, int axis) {
    return format == BlockFormat.I8 ? quantize(w, I8, axis) : quantize(w, format, axis);
  }

  @ParameterizedTest
  @EnumSource
  void products(BlockFormat format) {
    int k = format == BlockFormat.I8 ? 259 : 512;
    for (int n : new int[] {1, 3, 31, 64, 129}) {
      Tensor<F32> w = matrix(k, n, n);
      QuantizedTensor q = quantized(w, format, 0);
      float[] elements = CTX.eval(q).toFloatArray();
      for (int m : new int[] {1, 2, 3, 4, 5, 17, 40}) {
        Tensor<F32> x = matrix(m, k, m);
        check(CTX.eval(dot(x, q)).toFloatArray(), x.toFloatArray(), elements, m, n, k);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void productsWithManyRows(BlockFormat format) {
    // The cpu device divides left rows of more than 75 and of more than 256 into parts.
    int k = format == BlockFormat.I8 ? 521 : 768;
    int n = 113;
    QuantizedTensor q = quantized(matrix(k, n, n), format, 0);
    float[] elements = CTX.eval(q).toFloatArray();
    for (int m : new int[] {75, 76, 150, 151, 257}) {
      Tensor<F32> x = matrix(m, k, m);
      check(CTX.eval(dot(x, q)).toFloatArray(), x.toFloatArray(), elements, m, n, k);
    }
  }

  @ParameterizedTest
  @EnumSource
  void operationsOnAProductAreInItsKernel(BlockFormat format) {
    QuantizedTensor q = quantized(matrix(256, 65, 1), format, 0);
    for (int m : new int[] {1, 3, 5, 17, 40}) {
      // OpenBLAS multiplies more rows on the cpu device.
      int kernels = TestDevice.isCpu() && m > 3 ? 2 : 1;
      Tensor<F32> x = matrix(m, 256, 2);
      Tensor<F32> gate = matrix(m, 65, 3);
      Tensor<F32> before = matrix(m, 65, 4);
      Expr<F32> product = dot(x, q);
      Tensor<F32> wanted = CTX.eval(product);
      wanted = CTX.eval(silu(gate).times(wanted).plus(before));
      Expr<F32> fused = silu(gate).times(product).plus(before);
      assertThat(CTX.explain(before, fused).kernels()).hasSize(kernels);
      CTX.assign(before, fused);
      float[] got = before.toFloatArray();
      float[] expected = wanted.toFloatArray();
      for (int e = 0; e < got.length; e++) {
        assertThat(got[e]).as("%s of %s", e, m).isCloseTo(expected[e], within(1e-4f));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void emptyProducts(BlockFormat format) {
    QuantizedTensor q = quantized(matrix(256, 3, 1), format, 0);
    assertThat(CTX.eval(dot(CTX.zeros(F32, 0, 256), q)).shape()).isEqualTo(Shape.of(0, 3));
    QuantizedTensor none = quantized(CTX.zeros(F32, 0, 3), format, 0);
    assertThat(CTX.eval(dot(CTX.zeros(F32, 2, 0), none)).toFloatArray()).containsOnly(0);
    QuantizedTensor narrow = quantized(CTX.zeros(F32, 256, 0), format, 0);
    assertThat(CTX.eval(dot(CTX.zeros(F32, 2, 256), narrow)).shape()).isEqualTo(Shape.of(2, 0));
  }

  @ParameterizedTest
  @EnumSource
  void zerosStayZeros(BlockFormat format) {
    QuantizedTensor q = quantized(CTX.zeros(F32, 256, 2), format, 0);
    assertThat(CTX.eval(q).toFloatArray()).containsOnly(0);
  }

  @ParameterizedTest
  @EnumSource
  void layouts(BlockFormat format) {
    int k = 256;
    int n = 6;
    Tensor<F32> rows = matrix(n, k, 1);
    QuantizedTensor q = quantized(rows, format, 1);
    float[] elements = CTX.eval(q.t()).toFloatArray();
    // a transposed, a repeated and a batched left operand
    Tensor<F32> tall = matrix(k, 4, 2);
    check(
        CTX.eval(dot(tall.t(), q.t())).toFloatArray(),
        CTX.eval(tall.t().plus(0)).toFloatArray(),
        elements,
        4,
        n,
        k);
    Tensor<F32> row = matrix(1, k, 3);
    float[] repeated = CTX.eval(row.expand(2, k).plus(0)).toFloatArray();
    check(CTX.eval(dot(row.expand(2, k), q.t())).toFloatArray(), repeated, elements, 2, n, k);
    Tensor<F32> batch = CTX.tensor(normal(2 * 3 * k, 4), 2, 3, k);
    Tensor<F32> y = CTX.eval(dot(batch, q.t()));
    assertThat(y.shape()).isEqualTo(Shape.of(2, 3, n));
    check(y.toFloatArray(), batch.toFloatArray(), elements, 6, n, k);
    Tensor<F32> vector = CTX.tensor(normal(k, 5), k);
    Tensor<F32> of = CTX.eval(dot(vector, q.t()));
    assertThat(of.shape()).isEqualTo(Shape.of(n));
    check(of.toFloatArray(), vector.toFloatArray(), elements, 1, n, k);
    // a strided target
    Tensor<F32> wide = CTX.zeros(F32, n, 4);
    CTX.assign(wide.t(), dot(tall.t(), q.t()));
    assertThat(CTX.eval(wide.t().plus(0)).toFloatArray())
        .isEqualTo(CTX.eval(dot(tall.t(), q.t())).toFloatArray());
  }

  @ParameterizedTest
  @EnumSource
  void productsAcrossBlocks(BlockFormat format) {
    QuantizedTensor q = quantized(matrix(5, 256, 1), format, 1);
    Tensor<F32> x = matrix(3, 5, 2);
    check(
        CTX.eval(dot(x, q)).toFloatArray(),
        x.toFloatArray(),
        CTX.eval(q).toFloatArray(),
        3,
        256,
        5);
  }

  @ParameterizedTest
  @EnumSource
  void takenRows(BlockFormat format) {
    QuantizedTensor q = quantized(matrix(7, 256, 1), format, 1);
    var at = CTX.tensor(new int[] {6, -7, 3, 3}, 2, 2);
    Tensor<F32> taken = CTX.eval(take(q, at, 0));
    assertThat(taken.shape()).isEqualTo(Shape.of(2, 2, 256));
    assertThat(taken.toFloatArray()).isEqualTo(CTX.eval(take(decoded(q), at, 0)).toFloatArray());
    assertThat(CTX.eval(take(q.t(), at, 1)).toFloatArray())
        .isEqualTo(CTX.eval(take(decoded(q).t(), at, 1)).toFloatArray());
  }

  @Test
  void gradientsOfTheLeftOperand() {
    QuantizedTensor q = quantize(matrix(64, 5, 1), Q8_0);
    Tensor<F32> x = matrix(3, 64, 2);
    Expr<F32> loss = sum(square(dot(x, q)));
    Expr<F32> dense = sum(square(dot(x, decoded(q))));
    float[] dx = CTX.eval(Gradients.of(loss, List.of(x)).getFirst()).toFloatArray();
    float[] wanted = CTX.eval(Gradients.of(dense, List.of(x)).getFirst()).toFloatArray();
    for (int k = 0; k < dx.length; k++) {
      assertThat(dx[k]).isCloseTo(wanted[k], within(1e-3f));
    }
  }

  @Test
  void numbersThatAreNotFiniteSpread() {
    QuantizedTensor q = quantize(matrix(32, 3, 1), Q8_0);
    var x = new float[64];
    x[1] = Float.NaN;
    x[32] = Float.POSITIVE_INFINITY;
    float[] y = CTX.eval(dot(CTX.tensor(x, 2, 32), q)).toFloatArray();
    for (int k = 0; k < 6; k++) {
      assertThat(Float.isFinite(y[k])).isFalse();
    }
  }

  @OnCpu("the other devices decode into memory")
  @Test
  void productsAreOneKernel() {
    QuantizedTensor q = quantize(matrix(256, 5, 1), Q4_K);
    var plan = CTX.explain(dot(matrix(3, 256, 2), q));
    assertThat(plan.kernelCount()).isEqualTo(1);
    assertThat(plan.temporaryCount()).isZero();
  }

  private static void refused(String message, ThrowingCallable what) {
    assertThatThrownBy(what).isInstanceOf(ShapeException.class).hasMessage(message);
  }

  @Test
  void errors() {
    refused(
        "[quantize] the tensor must be a matrix; got f32[2,2,2]; reshape it.",
        () -> quantize(CTX.zeros(F32, 2, 2, 2), Q8_0));
    refused(
        "[quantize] axis 0 must have a multiple of 32 elements for q4_0; got f32[33,2]; choose I8,"
            + " which takes any number, or the other axis.",
        () -> quantize(CTX.zeros(F32, 33, 2), Q4_0));
    Tensor<F32> w = CTX.tensor(new float[] {1, Float.NaN}, 2, 1);
    refused(
        "[quantize] elements must be finite; got NaN or infinity in f32[1,2]; check how they were"
            + " computed.",
        () -> quantize(w, I8));
    refused(
        "[quantize] blocks must be [n, 34], the bytes of rows of 32 q8_0 elements, in whole blocks"
            + " of 32; got blocks u8[2,33]; check the number of elements.",
        () -> QuantizedTensor.of(Q8_0, CTX.zeros(U8, 2, 33), 32));
    refused(
        "[dot] inner extents must be equal; got a f32[1,64], b f32[32,2]; 64 vs 32. Transpose one"
            + " of them?",
        () -> dot(CTX.zeros(F32, 1, 64), quantize(CTX.zeros(F32, 32, 2), Q8_0)));
  }

  @Test
  void describesItself() {
    QuantizedTensor q = quantize(CTX.zeros(F32, 64, 3), Q4_0);
    assertThat(q).hasToString("q4_0[64,3]");
    assertThat(q.bytes()).isEqualTo(3 * 2 * 18);
    assertThat(List.of(q.format(), q.axis(), q.blocks().shape()))
        .isEqualTo(List.of(Q4_0, 0, Shape.of(3, 36)));
  }
}
