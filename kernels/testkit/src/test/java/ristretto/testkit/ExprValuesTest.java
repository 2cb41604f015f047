package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.*;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.kernels.ShapeException;

/** Values and texts of expressions, whose context is that of the tensors within. */
class ExprValuesTest {
  private static final Context CTX = TestDevice.open();
  private static final Tensor<F32> X = CTX.tensor(new float[] {1, 2, 3, 4}, 2, 2);

  @AfterAll
  static void close() {
    CTX.close();
  }

  @Test
  void valuesOfEachDtype() {
    assertThat(X.plus(1).toFloatArray()).containsExactly(2, 3, 4, 5);
    assertThat(X.cast(F64).times(2).toDoubleArray()).containsExactly(2, 4, 6, 8);
    assertThat(X.cast(I32).t().toIntArray()).containsExactly(1, 3, 2, 4);
    assertThat(argMax(X, 1).toLongArray()).containsExactly(1, 1);
    assertThat(X.gt(2).toBooleanArray()).containsExactly(false, false, true, true);
    assertThat(sum(X).item()).isEqualTo(10);
    assertThat(X.gt(2).slice(at(1), at(0)).item()).isEqualTo(1);
    assertThat(X.t().reshape(4).toFloatArray()).containsExactly(1, 3, 2, 4);
  }

  @Test
  void evalMakesATensor() {
    Tensor<F32> y = X.times(2).eval();
    assertThat(y.context()).isSameAs(CTX);
    Tensor<F32> copy = X.eval();
    CTX.assign(copy, 0);
    assertThat(X.toFloatArray()).containsExactly(1, 2, 3, 4);
    Expr<F32> deep = X;
    for (int k = 0; k < 3; k++) {
      deep = deep.plus(dot(deep, X));
    }
    assertThat(deep.eval().toFloatArray()).isEqualTo(CTX.eval(deep).toFloatArray());
  }

  @Test
  void printsValues() {
    PrintStream out = System.out;
    var text = new ByteArrayOutputStream();
    System.setOut(new PrintStream(text, true, StandardCharsets.UTF_8));
    try {
      X.plus(1).print();
    } finally {
      System.setOut(out);
    }
    assertThat(text.toString(StandardCharsets.UTF_8).lines())
        .containsExactly("f32[2,2]", "[[2. 3.]", " [4. 5.]]");
  }

  @Test
  void textsAreFormulas() {
    assertThat(X.plus(1).times(X)).hasToString("f32[2,2]: (f32[2,2] + 1) * f32[2,2]");
    assertThat(sum(exp(X), 1)).hasToString("f32[2]: sum over [1](exp(f32[2,2]))");
    assertThat(where(X.gt(0), X, X.neg()))
        .hasToString("f32[2,2]: select(f32[2,2] > 0, f32[2,2], -f32[2,2])");
    assertThat(exp(X).t().slice(at(0))).hasToString("f32[2]: permute(exp(f32[2,2]))[0:1, :]");
    assertThat(fill(F64, 2.5, 3)).hasToString("f64[3]: 2.5");
    assertThat(map(X, v -> v * v)).hasToString("f32[2,2]: map(f32[2,2])");
  }

  /** A graph in which each expression occurs twice in the next has 2^n paths. */
  @Test
  void longFormulasAreTruncated() {
    Expr<F32> e = X;
    Expr<F32> views = X;
    for (int k = 0; k < 100_000; k++) {
      e = e.plus(e).times(e);
      views = views.plus(0).t();
    }
    assertThat(e.toString()).hasSizeLessThanOrEqualTo(160).startsWith("f32[2,2]: ").endsWith("...");
    assertThat(views.toString()).hasSizeLessThanOrEqualTo(160);
    Expr<F32> chain = exp(X);
    for (int k = 0; k < 100_000; k++) {
      chain = chain.t();
    }
    assertThat(chain.toString()).hasSizeLessThanOrEqualTo(160);
  }

  @Test
  void messages() {
    refused(
        "[eval] an expression must contain a tensor, whose context evaluates it; got f32[3] without"
            + " one; use ctx.eval(e), as in ctx.eval(e).toFloatArray().",
        () -> fill(F32, 1, 3).plus(1).toFloatArray());
    refused(
        "[item] the tensor must have one element; got f32[2,2]; use toFloatArray() or slice it"
            + " first.",
        () -> X.plus(1).item());
    try (Context other = TestDevice.open()) {
      Tensor<F32> y = other.ones(F32, 2, 2);
      refused(
          "[eval] the tensors within an expression must belong to one context; got f32[2,2] with"
              + " tensors of two; copy one over with ctx.tensor(other.toFloatArray(), ...).",
          () -> X.plus(y).eval());
    }
    Expr<F64> d = X.cast(F64);
    assertThatThrownBy(d::toFloatArray)
        .isInstanceOf(ShapeException.class)
        .hasMessageContaining("got f64[2,2]");
  }

  private static void refused(String message, Runnable body) {
    assertThatThrownBy(body::run).isInstanceOf(ShapeException.class).hasMessage(message);
  }
}
