package ristretto.jmh.training;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.I32;
import static ristretto.symbolic.Layers.dense;
import static ristretto.symbolic.Layers.relu;
import static ristretto.symbolic.Layers.softmaxCrossEntropy;

import java.util.Optional;
import java.util.function.DoubleSupplier;
import ristretto.expr.Context;
import ristretto.expr.F32;
import ristretto.expr.I32;
import ristretto.expr.Shape;
import ristretto.expr.Tensor;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Input;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Optimizer;
import ristretto.symbolic.Variable;

/**
 * The models as users of the engine write them. Parameters and inputs are numbers that follow from
 * their places, the same as PyTorch's.
 */
final class TrainingModels {
  /** Parameters lie within this distance of 0. */
  private static final double RANGE = 0.1;

  /** Numbers of inputs, after those of parameters. */
  private static final int INPUTS = 100;

  private TrainingModels() {}

  interface Model {
    Ready build(Context context, Dims dims);
  }

  /** A model with its data in place. */
  record Ready(Runnable step, DoubleSupplier loss) {}

  static Optional<Model> find(String name) {
    return Optional.ofNullable(
        switch (name) {
          case "mlp" -> TrainingModels::mlp;
          default -> null;
        });
  }

  private static Ready mlp(Context context, Dims dims) {
    long batch = dims.get(0);
    Variable<F32> x = Variable.input("x", F32, -1, 784);
    Variable<I32> label = Variable.input("label", I32, -1);
    Variable<F32> h1 = relu(dense("fc1", x, 128));
    Variable<F32> h2 = relu(dense("fc2", h1, 64));
    Variable<F32> loss = softmaxCrossEntropy(dense("fc3", h2, 10), label);
    var executor = filled(context, loss);
    executor.set(x, numbers(context, INPUTS, 0, 1, batch, 784));
    executor.set(label, labels(context, batch, 10));
    return steps(executor, loss, Optimizer.adam(0.001));
  }

  private static Executor filled(Context context, Variable<?>... outputs) {
    var executor = new Executor(context, outputs);
    int number = 0;
    for (Variable<?> v : executor.parameters()) {
      fill(context, executor, v, number++);
    }
    return executor;
  }

  private static <T> void fill(Context context, Executor executor, Variable<T> v, int number) {
    Tensor<T> parameter = executor.tensor(v);
    long[] shape = parameter.shape().toArray();
    context.assign(
        parameter, numbers(context, number, -RANGE, RANGE, shape).cast(parameter.dtype()));
  }

  private static Ready steps(Executor executor, Variable<F32> loss, Optimizer optimizer) {
    return new Ready(() -> executor.step(loss, optimizer), () -> executor.tensor(loss).item());
  }

  private static Tensor<F32> numbers(
      Context context, int number, double low, double high, long... shape) {
    float[] values = new float[Math.toIntExact(Shape.of(shape).size())];
    for (int i = 0; i < values.length; i++) {
      values[i] = Input.value(number, i, low, high);
    }
    return context.tensor(values, shape);
  }

  private static Tensor<I32> labels(Context context, long count, int classes) {
    int[] values = new int[Math.toIntExact(count)];
    for (int i = 0; i < values.length; i++) {
      values[i] = i * 7 % classes;
    }
    return context.tensor(values, count);
  }
}
