package ristretto.jmh.training;

import static ristretto.expr.Ops.F32;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;
import ristretto.expr.Context;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.expr.type.Shape;
import ristretto.jmh.line.Input;
import ristretto.symbolic.Executor;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.optim.Optimizer;

/**
 * Values of parameters and inputs, functions of their indices, equal to PyTorch's. Parameters are
 * numbered in the order of {@link Executor#parameters()}.
 */
final class StepData {
  /** Maximum magnitude of initial parameters. */
  private static final double RANGE = 0.1;

  /**
   * Learning rate, almost zero: every step has the same data, and a model that overfits the data,
   * or whose units have died, produces denormal numbers, which are slow on processors.
   */
  static final double RATE = 1e-9;

  /** Number of the first input in the generator of values; parameters have smaller numbers. */
  static final int INPUTS = 100;

  private StepData() {}

  static Executor filled(Context context, Variable<?>... outputs) {
    var executor = new Executor(context, outputs);
    int number = 0;
    for (Variable<?> v : executor.parameters()) {
      fill(context, executor, v, number++);
    }
    return executor;
  }

  private static void fill(Context context, Executor executor, Variable<?> v, int number) {
    Tensor<?> parameter = executor.tensor(v);
    withNumbers(
        number, -RANGE, RANGE, parameter.shape(), values -> context.copy(values, parameter));
  }

  static TrainingModels.Ready steps(Executor executor, Variable<F32> loss, Optimizer optimizer) {
    return new TrainingModels.Ready(
        () -> executor.step(loss, optimizer), () -> executor.tensor(loss).item());
  }

  static void give(
      Executor executor, Variable<F32> input, int number, double low, double high, long... dims) {
    Shape shape = Shape.of(dims);
    withNumbers(number, low, high, shape, values -> executor.set(input, values, shape));
  }

  /** Passes values in host memory, so that the device holds only one copy. */
  private static void withNumbers(
      int number, double low, double high, Shape shape, Consumer<MemorySegment> use) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment values = arena.allocate(ValueLayout.JAVA_FLOAT, shape.size());
      Input.fill(values, number, low, high);
      use.accept(values);
    }
  }

  static Tensor<I32> labels(Context context, long count, int classes) {
    int[] values = new int[Math.toIntExact(count)];
    for (int i = 0; i < values.length; i++) {
      values[i] = i * 7 % classes;
    }
    return context.tensor(values, count);
  }

  /** Lengths of sequences, from {@code steps} down to an eighth of it. */
  static int[] lengths(int steps, int batch) {
    int[] lengths = new int[batch];
    for (int i = 0; i < batch; i++) {
      lengths[i] = steps - i * (7 * steps / 8) / Math.max(1, batch - 1);
    }
    return lengths;
  }

  /** Labels {@code [steps, batch]} of sequences with {@link #lengths}; -1 beyond the length. */
  static int[] tags(int steps, int batch, int classes) {
    int[] lengths = lengths(steps, batch);
    int[] tags = new int[steps * batch];
    for (int i = 0; i < tags.length; i++) {
      tags[i] = i / batch < lengths[i % batch] ? i * 7 % classes : -1;
    }
    return tags;
  }
}
