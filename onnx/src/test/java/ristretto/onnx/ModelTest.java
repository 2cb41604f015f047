package ristretto.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.F32;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.kernels.FileException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.onnx.OnnxException;
import ristretto.symbolic.optim.Optimizer;

/** Runs and training of small models. */
class ModelTest {
  private static final int FLOAT = 1;
  private static final int INT64 = 7;

  @TempDir Path folder;

  private Path affine() {
    return new ModelBytes(17)
        .weight("w", new float[] {1, -2, 3, 4, 5, 6}, 3, 2)
        .weight("b", new float[] {0.5f, -0.5f}, 2)
        .node("MatMul", "x w", "p")
        .node("Add", "p b", "y")
        .input("x", FLOAT, -1, 3)
        .output("y", FLOAT, -1, 2)
        .write(folder);
  }

  @Test
  void runs() {
    try (Context ctx = Context.open("cpu")) {
      Model m = Onnx.load(ctx, affine());
      assertThat(m.inputs()).containsExactly("x");
      assertThat(m.outputs()).containsExactly("y");
      assertThat(m.parameters().keySet()).containsExactly("w", "b");
      Tensor<F32> x = ctx.tensor(new float[] {1, 2, 3, -1, 0, 1}, 2, 3);
      var first = (Tensor<?>) m.run(Map.of("x", x)).get("y");
      assertThat(first.toFloatArray()).containsExactly(22.5f, 23.5f, 4.5f, 7.5f);
      m.run(Map.of("x", ctx.zeros(F32, 2, 3)));
      assertThat(first.toFloatArray()).containsExactly(22.5f, 23.5f, 4.5f, 7.5f);
      assertThat(m.run(Map.of("x", ctx.zeros(F32, 5, 3))).get("y").shape().toArray())
          .containsExactly(5, 2);
    }
  }

  @Test
  void isReadFromContentAndTellsItsTypes() throws IOException {
    try (Context ctx = Context.open("cpu")) {
      Model m = Onnx.load(ctx, Files.readAllBytes(affine()));
      Tensor<F32> x = ctx.tensor(new float[] {1, 2, 3, -1, 0, 1}, 2, 3);
      assertThat(((Tensor<?>) m.run(Map.of("x", x)).get("y")).toFloatArray())
          .containsExactly(22.5f, 23.5f, 4.5f, 7.5f);
      assertThat(m.typeOf("x").dtype()).isEqualTo(F32);
      assertThat(m.typeOf("y").dims().orElseThrow().toString()).isEqualTo("[?,2]");
      assertThatThrownBy(() -> m.typeOf("z"))
          .isInstanceOf(OnnxException.class)
          .hasMessage(
              "[typeOf] the name must be that of an input, [x], or output, [y]; got 'z'; choose one"
                  + " of these.");
      assertThatThrownBy(() -> Onnx.load(ctx, new byte[] {1, 2, 3}))
          .isInstanceOf(FileException.class)
          .hasMessageStartingWith(
              "[onnx] the file must be an ONNX model; got the content, which is");
      byte[] external =
          Files.readAllBytes(
              new ModelBytes(17)
                  .external("w", "data", 2)
                  .node("Relu", "w", "y")
                  .output("y", FLOAT, 2)
                  .write(folder));
      assertThatThrownBy(() -> Onnx.load(ctx, external))
          .hasMessageStartingWith(
              "[onnx] a tensor must be with its data in the folder of the model; got location"
                  + " 'data'");
    }
  }

  @Test
  void elementsOfSmallInputsMayBeSizes() {
    Path file =
        new ModelBytes(17)
            .node("Reshape", "x s", "y")
            .input("x", FLOAT, -1)
            .input("s", INT64, 2)
            .output("y", FLOAT, -1, -1)
            .write(folder);
    try (Context ctx = Context.open("cpu")) {
      Model m = Onnx.load(ctx, file);
      Tensor<F32> x = ctx.linspace(F32, 0, 5, 6);
      for (long[] s : new long[][] {{2, 3}, {3, 2}, {2, 3}, {-1, 1}}) {
        Tensor<?> y = m.run(Map.of("x", x, "s", ctx.tensor(s))).get("y");
        assertThat(y.shape().toArray()).containsExactly(s[0] < 0 ? 6 : s[0], s[1]);
        assertThat(y.toFloatArray()).containsExactly(0, 1, 2, 3, 4, 5);
      }
    }
  }

  @Test
  void weightsHaveGradients() {
    try (Context ctx = Context.open("cpu")) {
      Model m = Onnx.load(ctx, affine());
      Tensor<F32> x = ctx.tensor(new float[] {1, 2, 3, -1, 0, 1}, 2, 3);
      Expr<?> y = m.of(Map.of("x", x)).get("y");
      var w = m.parameters().get("w");
      Expr<?> g = Ops.gradient(Ops.sum(y), w);
      assertThat(ctx.eval(g).toFloatArray()).containsExactly(0, 0, 2, 2, 4, 4);
    }
  }

  @Test
  void trains() {
    try (Context ctx = Context.open("cpu")) {
      Model m = Onnx.load(ctx, affine());
      Variable<F32> x = Variable.input("x", F32, -1, 3);
      Variable<F32> y = m.apply("y", F32, Map.of("x", x));
      Variable<F32> loss = Layers.mean(Layers.square(y));
      var executor = new Executor(ctx, loss, y);
      assertThat(executor.parameters().stream().map(Variable::name).toList())
          .isEqualTo(List.of("w", "b"));
      executor.set(x, ctx.tensor(new float[] {1, 2, 3, -1, 0, 1}, 2, 3));
      executor.forward();
      assertThat(executor.tensor(y).toFloatArray()).containsExactly(22.5f, 23.5f, 4.5f, 7.5f);
      double before = executor.tensor(loss).item();
      Optimizer optimizer = Optimizer.sgd(0.01);
      for (int k = 0; k < 200; k++) {
        executor.step(loss, optimizer);
      }
      executor.forward();
      assertThat(executor.tensor(loss).item()).isLessThan(1e-3 * before);
    }
  }

  @Test
  void weightsMayBeAssigned() {
    try (Context ctx = Context.open("cpu")) {
      Model m = Onnx.load(ctx, affine());
      Tensor<F32> x = ctx.tensor(new float[] {1, 2, 3}, 1, 3);
      m.run(Map.of("x", x));
      m.parameters().forEach((name, t) -> ctx.assign(t, 0));
      assertThat(m.run(Map.of("x", x)).get("y").toFloatArray()).containsExactly(0, 0);
    }
  }

  @Test
  void unsignedIntegersWrap() {
    Path file =
        new ModelBytes(17).node("Add", "x x", "y").input("x", 4, 2).output("y", 4, 2).write(folder);
    try (Context ctx = Context.open("cpu")) {
      Model m = Onnx.load(ctx, file);
      Tensor<?> y = m.run(Map.of("x", ctx.tensor(new int[] {3, 65535}, 2))).get("y");
      assertThat(y.toIntArray()).containsExactly(6, 65534);
    }
  }

  /** Threads that share a model, some of which ask for expressions and variables of it. */
  @Test
  void threadsShareAModel() throws Exception {
    try (Context ctx = Context.open("cpu");
        var pool = java.util.concurrent.Executors.newFixedThreadPool(4)) {
      Model m = Onnx.load(ctx, affine());
      var all = new java.util.ArrayList<java.util.concurrent.Future<?>>();
      for (int t = 0; t < 4; t++) {
        int thread = t;
        all.add(
            pool.submit(() -> {
              for (int k = 0; k < 40; k++) {
                int rows = 1 + (thread + k) % 5;
                var in = new float[3 * rows];
                java.util.Arrays.fill(in, thread + k);
                Tensor<F32> x = ctx.tensor(in, rows, 3);
                Tensor<?> y =
                    thread == 3
                        ? ctx.eval(m.of(Map.of("x", x)).get("y"))
                        : m.run(Map.of("x", x)).get("y");
                float[] found = y.toFloatArray();
                assertThat(found).hasSize(2 * rows);
                for (int i = 0; i < rows; i++) {
                  assertThat(found[2 * i]).isEqualTo(9f * (thread + k) + 0.5f);
                  assertThat(found[2 * i + 1]).isEqualTo(8f * (thread + k) - 0.5f);
                }
                m.apply("y", F32, Map.of("x", Variable.input("x", F32, -1, 3)));
              }
            }));
      }
      for (var done : all) {
        done.get();
      }
    }
  }

  @Test
  void exportedModelsComputeTheSame() {
    try (Context ctx = Context.open("cpu")) {
      Variable<F32> x = Variable.input("x", F32, -1, 7);
      Variable<F32> h = Layers.relu(Layers.dense("h", x, 11));
      Variable<F32> n = Layers.layerNorm("n", h);
      Variable<F32> y = Layers.softmax(Layers.dense("y", n, 5), 1);
      var executor = new Executor(ctx, 3, y);
      Path file = folder.resolve("exported.onnx");
      executor.exportOnnx(file, y);
      Model m = Onnx.load(ctx, file);
      for (int rows : new int[] {1, 5}) {
        Tensor<F32> in = ctx.eval(Ops.normal(F32, 7, rows, 7));
        executor.set(x, in);
        executor.forward();
        assertThat(m.run(Map.of("x", in)).values().iterator().next().toFloatArray())
            .containsExactly(executor.tensor(y).toFloatArray(), within(1e-6f));
      }
    }
  }

  @Test
  void loopsAreUnrolled() {
    byte[] body =
        new ModelBytes(17)
            .node("Add", "s s", "t")
            .node("Identity", "go", "goes")
            .input("k", INT64)
            .input("go", 9)
            .input("s", FLOAT, -1)
            .output("goes", 9)
            .output("t", FLOAT, -1)
            .graph();
    Path file =
        new ModelBytes(17)
            .constant("trips", 3)
            .node("Cast", "trips", "first", ModelBytes.attribute("to", 9))
            .node("Loop", "trips first x", "y", ModelBytes.attribute("body", body))
            .input("x", FLOAT, -1)
            .output("y", FLOAT, -1)
            .write(folder);
    try (Context ctx = Context.open("cpu")) {
      Model m = Onnx.load(ctx, file);
      assertThat(m.run(Map.of("x", ctx.tensor(new float[] {1, -2}))).get("y").toFloatArray())
          .containsExactly(8, -16);
    }
  }

  @Test
  void normalizesAndPools() {
    Path file =
        new ModelBytes(17)
            .weight("one", new float[] {1, 1}, 2)
            .weight("zero", new float[] {0, 0}, 2)
            .node("InstanceNormalization", "x one zero", "n")
            .node("GlobalMaxPool", "n", "y")
            .input("x", FLOAT, 1, 2, 3)
            .output("y", FLOAT, 1, 2, 1)
            .write(folder);
    try (Context ctx = Context.open("cpu")) {
      Model m = Onnx.load(ctx, file);
      Tensor<F32> x = ctx.tensor(new float[] {1, 2, 3, 7, 7, 10}, 1, 2, 3);
      float[] y = m.run(Map.of("x", x)).get("y").toFloatArray();
      assertThat(y[0]).isCloseTo((float) (1 / Math.sqrt(2.0 / 3 + 1e-5)), within(1e-5f));
      assertThat(y[1]).isCloseTo((float) (2 / Math.sqrt(2 + 1e-5)), within(1e-5f));
    }
  }

  @Test
  void resizes() {
    Path file =
        new ModelBytes(17)
            .weight("scales", new float[] {1, 2}, 2)
            .node("Resize", "x  scales", "y")
            .input("x", FLOAT, 1, -1)
            .output("y", FLOAT, 1, -1)
            .write(folder);
    try (Context ctx = Context.open("cpu")) {
      Model m = Onnx.load(ctx, file);
      Tensor<F32> x = ctx.tensor(new float[] {1, 2, 5}, 1, 3);
      assertThat(m.run(Map.of("x", x)).get("y").toFloatArray()).containsExactly(1, 1, 2, 2, 5, 5);
    }
  }
}
