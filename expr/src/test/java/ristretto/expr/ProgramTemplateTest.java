package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.mean;
import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.sigmoid;
import static ristretto.expr.Ops.sum;
import static ristretto.expr.Ops.take;

import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.kernels.ShapeException;

class ProgramTemplateTest {
  /** Template of a program over {@code [5, n, 3]}. */
  private static Optional<ProgramTemplate> template(
      Context context, UnaryOperator<Expr<F32>> formula) {
    return ProgramTemplate.record(
        context,
        () -> {
          Tensor<F32> x = context.empty(F32, 5, ProgramTemplate.UNKNOWN, 3);
          Expr<F32> value = formula.apply(x);
          Tensor<F32> y = context.empty(F32, value.shape());
          context.assign(y, value);
          return List.of(x, y);
        });
  }

  private static Tensor<F32> numbers(Context context, int n) {
    var x = new float[5 * n * 3];
    for (int k = 0; k < x.length; k++) {
      x[k] = (float) Math.sin(k);
    }
    return context.tensor(x, 5, n, 3);
  }

  @Test
  void becomesThePrograms() {
    try (Context context = Context.open("cpu")) {
      Tensor<F32> w = context.tensor(new float[] {1, 2, 3, 4, 5, 6}, 3, 2);
      UnaryOperator<Expr<F32>> formula =
          x -> {
            Expr<F32> rows = x.slice(range(1, 4)).reshape(-1, 3);
            Expr<F32> product = context.eval(sigmoid(dot(rows, w)));
            return product.reshape(3, -1, 2).minus(sum(x.slice(range(0, 3)), 2).reshape(3, -1, 1));
          };
      ProgramTemplate template = template(context, formula).orElseThrow();
      for (int n : new int[] {1, 2, 7, 64}) {
        Tensor<F32> x = numbers(context, n);
        Tensor<F32> y = context.empty(F32, 3, n, 2);
        Program program = template.at(n, List.of(x, y));
        program.run();
        Tensor<F32> wanted = context.eval(formula.apply(x));
        assertThat(y.toFloatArray()).containsExactly(wanted.toFloatArray());
        Program recorded = context.recordTransient(() -> context.assign(y, formula.apply(x)));
        assertThat(program.kernelCount()).isEqualTo(recorded.kernelCount());
        assertThat(program.temporaryBytes()).isEqualTo(recorded.temporaryBytes());
        assertThat(program.trace().works()).hasSize(program.kernelCount());
        assertThat(program.explain().toString())
            .contains("f32[3,n,2]", "gemm_f32_3nx2x3", "(24n bytes)", "\n  n = " + n + "\n")
            .doesNotContain("1073741789");
      }
    }
  }

  @Test
  void whatIsMoreThanSizesIsNoTemplate() {
    try (Context context = Context.open("cpu")) {
      Tensor<I32> order = context.tensor(new int[] {1, 0}, 2);
      assertThat(template(context, x -> x.times(2))).isPresent();
      assertThat(template(context, x -> take(x, order, 0))).isPresent();
      // a number is n times another one, or is divided by n
      assertThat(template(context, x -> mean(x, 1))).isPresent();
      assertThat(template(context, x -> dot(x.reshape(-1, 3).t(), x.reshape(-1, 3)))).isPresent();
      assertThat(template(context, x -> x.plus(ProgramTemplate.UNKNOWN))).isPresent();
      assertThat(template(context, x -> x.plus(1 / (double) ProgramTemplate.UNKNOWN))).isEmpty();
      assertThat(template(context, x -> x.plus(Math.sqrt(ProgramTemplate.UNKNOWN) * 1e5)))
          .isEmpty();
      assertThat(template(context, x -> x.plus(1e-10).plus(1e-20))).isPresent();
      // what random numbers begin with may be as large
      Tensor<I64> seed = context.tensor(new long[] {7}, 1);
      assertThat(
              template(
                  context,
                  x ->
                      Ops.uniform(
                          F32, seed.plus(0x1E3779B97F4A7C15L).reshape(), x.shape().toArray())))
          .isPresent();
    }
  }

  @Test
  void tensorsMustHaveTheShapesOfTheRecording() {
    try (Context context = Context.open("cpu")) {
      ProgramTemplate template = template(context, x -> x.times(2)).orElseThrow();
      Tensor<F32> x = context.zeros(F32, 5, 4, 3);
      assertThatThrownBy(() -> template.at(3, List.of(x, x)))
          .isInstanceOf(ShapeException.class)
          .hasMessage(
              "[template] a tensor must have the dtype and shape that the recording had, with its"
                  + " own memory; got f32[5,4,3] for f32[5,3,3]; make it with empty.");
    }
  }
}
