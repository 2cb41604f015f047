package ristretto.symbolic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.QuantizedTensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.kernels.ShapeException;
import ristretto.kernels.block.BlockFormat;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.Cell;
import ristretto.symbolic.layers.Dense;
import ristretto.symbolic.layers.Embedding;
import ristretto.symbolic.layers.Recurrent;

class QuantizedExecutorTest {
  private final Variable<I32> words = Variable.input("words", Ops.I32, 2, 5);

  private Variable<F32> model(int width) {
    var rows = new Embedding("table", 40, width).of(words);
    var seen = new Recurrent("lstm", Cell.lstm(), 256).of(rows).outputs();
    return new Dense("out", 9).of(Layers.tanh(seen));
  }

  @ParameterizedTest
  @EnumSource
  void outputsAreThoseOfTheDecodedWeights(BlockFormat format) {
    try (Context ctx = Context.open()) {
      Variable<F32> y = model(256);
      var trained = new Executor(ctx, 1, y);
      Executor quantized = trained.quantized(format);
      assertThat(quantized.quantizedParameters().keySet())
          .contains("table.weight", "out.weight")
          .doesNotContain("out.bias");
      assertThat(quantized.quantizedParameters().get("table.weight").axis()).isEqualTo(1);
      assertThat(quantized.quantizedParameters().get("out.weight").axis()).isZero();
      int[] some = {3, 1, 4, 1, 5, 9, 2, 6, 5, 39};
      quantized.set(words, ctx.tensor(some, 2, 5));
      quantized.forward();
      float[] got = quantized.tensor(y).toFloatArray();
      trained.set(words, ctx.tensor(some, 2, 5));
      trained.forward();
      float[] exact = trained.tensor(y).toFloatArray();
      quantized.quantizedParameters().forEach((name, matrix) -> decode(trained, name, matrix));
      trained.forward();
      float[] wanted = trained.tensor(y).toFloatArray();
      double off = 0;
      for (int k = 0; k < got.length; k++) {
        assertThat(got[k]).as("%s %s", format, k).isCloseTo(wanted[k], within(1e-5f));
        off = Math.max(off, Math.abs(got[k] - exact[k]));
      }
      assertThat(off).isBetween(1e-6, 0.2);
    }
  }

  @SuppressWarnings("unchecked")
  private static void decode(Executor trained, String name, QuantizedTensor matrix) {
    for (Variable<?> v : trained.parameters()) {
      if (v.name().equals(name)) {
        Context ctx = matrix.blocks().context();
        ctx.assign(trained.tensor((Variable<F32>) v), matrix);
      }
    }
  }

  @Test
  void laterTrainingDoesNotChangeIt() {
    try (Context ctx = Context.open()) {
      Variable<F32> x = Variable.input("x", Ops.F32, 1, 64);
      Variable<F32> y = new Dense("dense", 3).of(x);
      var trained = new Executor(ctx, 1, y);
      Executor quantized = trained.quantized(BlockFormat.Q8_0);
      quantized.set(x, ctx.ones(Ops.F32, 1, 64));
      quantized.forward();
      float[] before = quantized.tensor(y).toFloatArray();
      trained.parameters().stream()
          .filter(v -> v.name().equals("dense.weight"))
          .forEach(v -> ctx.assign(trained.tensor(v).as(Ops.F32), 0));
      quantized.forward();
      assertThat(quantized.tensor(y).toFloatArray()).isEqualTo(before);
    }
  }

  @Test
  void productsDecodeTheirMatrix() {
    try (Context ctx = Context.open("cpu")) {
      Variable<F32> x = Variable.input("x", Ops.F32, 1, 256);
      Variable<F32> y = new Dense("dense", 512).of(x);
      Executor quantized = new Executor(ctx, 1, y).quantized(BlockFormat.Q4_K);
      quantized.set(x, ctx.ones(Ops.F32, 1, 256));
      quantized.forward();
      assertThat(quantized.explain().toString())
          .startsWith("1 kernel, 0 temporaries")
          .contains("dot of t1 f32[1,256] and q4_k blocks");
      assertThat(quantized.temporaryBytes()).isLessThan(512 * 256);
      QuantizedTensor matrix = quantized.quantizedParameters().get("dense.weight");
      assertThat(matrix.bytes()).isEqualTo(512 * 144);
    }
  }

  @Test
  void modelsWithoutSuitableMatrices() {
    try (Context ctx = Context.open()) {
      Variable<F32> x = Variable.input("x", Ops.F32, 1, 7);
      Variable<F32> y = new Dense("dense", 3).of(x);
      var trained = new Executor(ctx, 1, y);
      assertThat(trained.quantizedParameters()).isEmpty();
      assertThat(trained.quantized(BlockFormat.I8).quantizedParameters())
          .containsOnlyKeys("dense.weight");
      assertThatThrownBy(() -> trained.quantized(BlockFormat.Q8_0))
          .isInstanceOf(ShapeException.class)
          .hasMessage(
              "[quantize] a parameter must be an F32 matrix whose axis 0 is a multiple of 32; got"
                  + " [%s]; choose I8, which takes any length.",
              String.join(", ", trained.parameters().stream().map(Object::toString).toList()));
      List<Variable<?>> parameters = trained.parameters();
      ctx.assign(trained.tensor(parameters.getFirst()).as(Ops.F32), Double.NaN);
      assertThatThrownBy(() -> trained.quantized(BlockFormat.I8))
          .isInstanceOf(ShapeException.class)
          .hasMessageContaining("[quantize] elements must be finite; got NaN or infinity in");
    }
  }
}
