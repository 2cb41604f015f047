package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.*;
import static ristretto.expr.type.PaddingMode.CIRCULAR;
import static ristretto.expr.type.PaddingMode.REFLECT;
import static ristretto.expr.type.PaddingMode.REPLICATE;
import static ristretto.expr.type.PaddingMode.ZEROS;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.PaddingMode;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/** Padding with elements of the operand, beside a plain loop over positions. */
class PaddingModesTest {
  private static final Context DEVICE = TestDevice.open();

  @AfterAll
  static void close() {
    DEVICE.close();
  }

  /** Returns the position of an element that the padding copies, or -1 for zeros. */
  private static long source(PaddingMode mode, long at, long extent) {
    return switch (mode) {
      case ZEROS -> at < 0 || at >= extent ? -1 : at;
      case REFLECT -> at < 0 ? -at : at >= extent ? 2 * extent - 2 - at : at;
      case REPLICATE -> Math.clamp(at, 0, extent - 1);
      case CIRCULAR -> Math.floorMod(at, extent);
    };
  }

  private static void check(Expr<F32> a, PaddingMode mode, long... amounts) {
    float[] from = DEVICE.eval(a).toFloatArray();
    Expr<F32> padded = pad(a, mode, amounts);
    long[] dims = a.shape().toArray();
    long[] wide = dims.clone();
    for (int k = 0; k < amounts.length; k++) {
      wide[k / 2] += amounts[k];
    }
    assertThat(padded.shape()).isEqualTo(Shape.of(wide));
    float[] got = DEVICE.eval(padded).toFloatArray();
    for (int k = 0; k < got.length; k++) {
      long rest = k;
      long at = 0;
      long stride = 1;
      for (int d = dims.length - 1; d >= 0; d--) {
        long before = 2 * d < amounts.length ? amounts[2 * d] : 0;
        long position = source(mode, rest % wide[d] - before, dims[d]);
        at = position < 0 || at < 0 ? -1 : at + position * stride;
        rest /= wide[d];
        stride *= dims[d];
      }
      assertThat(got[k]).as(mode + " " + k).isEqualTo(at < 0 ? 0 : from[(int) at]);
    }
  }

  @ParameterizedTest
  @EnumSource(PaddingMode.class)
  void agreesWithALoop(PaddingMode mode) {
    check(DEVICE.arange(F32, 1), mode, 0, 0);
    check(DEVICE.arange(F32, 7), mode, 6, 6);
    check(DEVICE.arange(F32, 7), mode, 0, 3);
    check(DEVICE.arange(F32, 7), mode, 2, 0);
    check(DEVICE.arange(F32, 131), mode, 130, 17);
    Tensor<F32> matrix = DEVICE.arange(F32, 15).reshape(3, 5);
    check(matrix, mode, 2, 1, 4, 3);
    check(matrix, mode, 1, 2);
    check(matrix.t(), mode, 3, 4, 0, 2);
    check(matrix.flip(0, 1), mode, 2, 2, 1, 3);
    check(matrix.slice(all(), from(0, 2)), mode, 1, 2, 2, 1);
    check(matrix.slice(at(1)), mode, 4, 4);
    check(matrix.unsqueeze(1).expand(3, 2, 5), mode, 2, 2, 1, 1, 3, 0);
    check(exp(matrix).plus(1), mode, 2, 1, 4, 3);
    Tensor<F32> images = DEVICE.eval(normal(F32, 3, 2, 3, 17, 13));
    check(images, mode, 0, 0, 0, 0, 3, 4, 12, 1);
    check(images.permute(2, 0, 3, 1), mode, 5, 0, 1, 1, 0, 7, 2, 2);
  }

  @Test
  void anyAmountOfCopiesOfTheEdge() {
    check(DEVICE.arange(F32, 1), REPLICATE, 5, 9);
    check(DEVICE.arange(F32, 6).reshape(2, 3), REPLICATE, 7, 5, 4, 11);
    check(DEVICE.arange(F32, 3), CIRCULAR, 3, 3);
  }

  @ParameterizedTest
  @EnumSource(PaddingMode.class)
  void readersAndThePaddingAreOneKernel(PaddingMode mode) {
    Tensor<F32> x = DEVICE.arange(F32, 15).reshape(3, 5);
    assertThat(DEVICE.explain(sum(square(pad(x, mode, 1, 1, 2, 2)), 1)).temporaryCount()).isZero();
  }

  @Test
  void anotherDtype() {
    assertThat(DEVICE.eval(pad(DEVICE.arange(I32, 3), REFLECT, 2, 1)).toIntArray())
        .containsExactly(2, 1, 0, 1, 2, 1);
  }

  private static void fails(PaddingMode mode, String message, Expr<F32> a, long... amounts) {
    assertThatThrownBy(() -> pad(a, mode, amounts))
        .isInstanceOf(ShapeException.class)
        .hasMessage(message);
  }

  @Test
  void tooMuchPadding() {
    Tensor<F32> x = DEVICE.zeros(F32, 2, 3);
    fails(
        REFLECT,
        "[pad] reflect padding must be less than the extent of its axis; got amounts 3 and 0 for"
            + " axis 1 of f32[2,3]; pad less, or in another mode.",
        x,
        0,
        0,
        3,
        0);
    fails(
        REFLECT,
        "[pad] reflect padding must be less than the extent of its axis; got amounts 1 and 2 for"
            + " axis 0 of f32[2,3]; pad less, or in another mode.",
        x,
        1,
        2);
    fails(
        CIRCULAR,
        "[pad] circular padding must be at most the extent of its axis; got amounts 1 and 4 for"
            + " axis 1 of f32[2,3]; pad less, or in another mode.",
        x,
        2,
        2,
        1,
        4);
    fails(
        REPLICATE,
        "[pad] replicate padding must have an edge to copy; got amounts 1 and 0 for axis 1 of"
            + " f32[2,0]; pad less, or in another mode.",
        DEVICE.zeros(F32, 2, 0),
        0,
        0,
        1,
        0);
  }

  @Test
  void amounts() {
    Tensor<F32> x = DEVICE.zeros(F32, 2, 3);
    for (PaddingMode mode : PaddingMode.values()) {
      fails(mode, "[pad] there must be two amounts per axis; got 3 for f32[2,3].", x, 1, 1, 1);
      fails(
          mode, "[pad] amounts must not be negative; got -1; slice to remove elements.", x, 1, -1);
    }
    assertThat(DEVICE.eval(pad(x, ZEROS, 1, 0)).shape()).isEqualTo(Shape.of(3, 3));
  }
}
