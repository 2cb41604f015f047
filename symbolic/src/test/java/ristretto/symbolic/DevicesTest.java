package ristretto.symbolic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.abort;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.I32;
import static ristretto.expr.Ops.at;
import static ristretto.expr.Ops.normal;
import static ristretto.symbolic.Layers.attention;
import static ristretto.symbolic.Layers.batchNorm;
import static ristretto.symbolic.Layers.conv;
import static ristretto.symbolic.Layers.dense;
import static ristretto.symbolic.Layers.dropout;
import static ristretto.symbolic.Layers.embedding;
import static ristretto.symbolic.Layers.flatten;
import static ristretto.symbolic.Layers.gelu;
import static ristretto.symbolic.Layers.layerNorm;
import static ristretto.symbolic.Layers.maxPool;
import static ristretto.symbolic.Layers.mean;
import static ristretto.symbolic.Layers.permute;
import static ristretto.symbolic.Layers.relu;
import static ristretto.symbolic.Layers.slice;
import static ristretto.symbolic.Layers.softmaxCrossEntropy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import ristretto.expr.Context;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.kernels.DeviceException;
import ristretto.symbolic.graph.Dims;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.Cell;
import ristretto.symbolic.layers.Recurrent;
import ristretto.symbolic.layers.Window;
import ristretto.symbolic.optim.Optimizer;
import ristretto.symbolic.optim.Schedule;

/**
 * Training of some models on a device beside the same on the processor: on opencl where there is a
 * driver, and on what -Dristretto.test.device names.
 */
class DevicesTest {
  private static final int N = 6;
  private static final int STEPS = 3;

  private static final String DEVICE = System.getProperty("ristretto.test.device", "opencl");

  /** Input of a model, and its scores of four classes. */
  private record ModelBuilder(Variable<?> input, Variable<F32> scores) {
    static ModelBuilder of(String name) {
      return switch (name) {
        case "perceptron" -> {
          Variable<F32> x = Variable.input("x", F32, -1, 8);
          yield new ModelBuilder(
              x, dense("b", dropout(batchNorm("n", relu(dense("a", x, 16))), 0.25), 4));
        }
        case "convolution" -> {
          Variable<F32> x = Variable.input("x", F32, -1, 2, 8, 8);
          Variable<F32> c = relu(conv("c", x, 4, Window.of(3, 3).padding(1, 1)));
          yield new ModelBuilder(
              x, dense("d", flatten(maxPool(c, Window.of(2, 2).stride(2, 2))), 4));
        }
        case "recurrent" -> {
          Variable<I32> x = Variable.input("x", I32, -1, 5);
          Variable<F32> words = permute(embedding("e", x, 10, 6), 1, 0, 2);
          Variable<F32> seen = Recurrent.of(Cell.lstm(), 8).over("r", words).outputs();
          yield new ModelBuilder(x, dense("d", slice(seen, at(-1)), 4));
        }
        case "attention" -> {
          Variable<F32> x = Variable.input("x", F32, -1, 5, 8);
          Variable<F32> h = layerNorm("n", gelu(dense("h", x, 8)));
          Variable<F32> seen = attention(dense("q", h, 8), dense("k", h, 8), dense("v", h, 8));
          yield new ModelBuilder(x, dense("d", mean(seen.plus(h), 1), 4));
        }
        default -> throw new IllegalArgumentException(name);
      };
    }
  }

  /** A model that has learned from the same numbers. */
  private record Trained(List<Double> losses, List<float[]> parameters) {
    static Trained on(Context ctx, String name) {
      ModelBuilder model = ModelBuilder.of(name);
      Variable<I32> labels = Variable.input("labels", I32, -1);
      Variable<F32> loss = softmaxCrossEntropy(model.scores, labels);
      var executor = new Executor(ctx, 3, loss);
      give(ctx, executor, model.input);
      executor.set(labels, ctx.arange(I32, N).rem(4));
      Optimizer optimizer = Optimizer.momentum(Schedule.constant(0.1), 0.9, true).clip(1);
      var losses = new ArrayList<Double>();
      for (int k = 0; k < STEPS; k++) {
        executor.step(loss, optimizer);
        losses.add(executor.tensor(loss).item());
      }
      executor.step(loss, Optimizer.adam(0.001));
      executor.forward();
      losses.add(executor.tensor(loss).item());
      return new Trained(
          losses,
          executor.parameters().stream()
              .map(v -> executor.tensor(v).as(F32).toFloatArray())
              .toList());
    }

    @SuppressWarnings("unchecked")
    private static void give(Context ctx, Executor executor, Variable<?> input) {
      long[] shape = new long[input.dims().rank()];
      Arrays.setAll(shape, d -> input.dims().at(d) == Dims.UNKNOWN ? N : input.dims().at(d));
      if (input.dtype() == I32) {
        executor.set((Variable<I32>) input, ctx.arange(I32, N * shape[1]).rem(10).reshape(shape));
      } else {
        executor.set((Variable<F32>) input, normal(F32, 7, shape));
      }
    }
  }

  @TestFactory
  List<DynamicTest> learnsAsOnTheProcessor() {
    return List.of("perceptron", "convolution", "recurrent", "attention").stream()
        .map(name -> DynamicTest.dynamicTest(name + " on " + DEVICE, () -> compare(name)))
        .toList();
  }

  private static void compare(String name) {
    try (Context device = open();
        Context cpu = Context.open("cpu")) {
      Trained want = Trained.on(cpu, name);
      Trained got = Trained.on(device, name);
      for (int k = 0; k < want.losses.size(); k++) {
        assertThat(got.losses.get(k)).as("loss %d", k).isCloseTo(want.losses.get(k), within(1e-3));
      }
      assertThat(want.losses.get(STEPS)).isLessThan(want.losses.get(0));
      // Adam's first step goes as far for a gradient of rounding errors alone.
      for (int v = 0; v < want.parameters.size(); v++) {
        assertThat(got.parameters.get(v)).containsExactly(want.parameters.get(v), within(3e-3f));
      }
    }
  }

  /** Aborts the test, with the reason, where there is no such device. */
  private static Context open() {
    try {
      return Context.open(DEVICE);
    } catch (DeviceException e) {
      return abort(e.getMessage());
    }
  }
}
