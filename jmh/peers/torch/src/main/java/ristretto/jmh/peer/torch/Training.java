package ristretto.jmh.peer.torch;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Adam;
import org.bytedeco.pytorch.AdamOptions;
import org.bytedeco.pytorch.Optimizer;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import ristretto.jmh.line.Dims;
import ristretto.jmh.line.Input;
import ristretto.jmh.peer.PeerWork;

/**
 * Steps of training by PyTorch's autograd and its optimizers. Parameters and inputs are numbers
 * that follow from their places.
 */
final class Training implements PeerWork {
  private static final double RANGE = 0.1;
  private static final int INPUTS = 100;

  private final List<Tensor> parameters = new ArrayList<>();
  private Supplier<Tensor> forward;
  private Optimizer optimizer;
  private float loss;

  private Training() {}

  /** Empty for a model that is not known. */
  static Optional<PeerWork> find(String name, Dims dims) {
    var training = new Training();
    switch (name) {
      case "mlp" -> training.mlp(dims);
      default -> {
        return Optional.empty();
      }
    }
    return Optional.of(training);
  }

  private void mlp(Dims dims) {
    long batch = dims.get(0);
    Tensor w1 = weight(784, 128);
    Tensor b1 = parameter(128);
    Tensor w2 = weight(128, 64);
    Tensor b2 = parameter(64);
    Tensor w3 = weight(64, 10);
    Tensor b3 = parameter(10);
    Tensor x = numbers(INPUTS, 0, 1, batch, 784);
    Tensor label = labels(batch, 10);
    forward =
        () -> {
          Tensor h1 = torch.relu(torch.linear(x, w1, b1));
          Tensor h2 = torch.relu(torch.linear(h1, w2, b2));
          return torch.cross_entropy_loss(torch.linear(h2, w3, b3), label);
        };
    adam();
  }

  private void adam() {
    optimizer = new Adam(vector(), new AdamOptions(0.001));
  }

  private TensorVector vector() {
    return new TensorVector(parameters.toArray(Tensor[]::new));
  }

  /** Numbered over {@code [in, out]}, but kept as PyTorch keeps it: {@code [out, in]}. */
  private Tensor weight(long in, long out) {
    return learned(numbers(parameters.size(), -RANGE, RANGE, in, out).t().contiguous());
  }

  private Tensor parameter(long... shape) {
    return learned(numbers(parameters.size(), -RANGE, RANGE, shape));
  }

  private Tensor learned(Tensor values) {
    Tensor parameter = values.clone();
    parameter.set_requires_grad(true);
    parameters.add(parameter);
    return parameter;
  }

  private static Tensor numbers(int number, double low, double high, long... shape) {
    long size = 1;
    for (long extent : shape) {
      size *= extent;
    }
    float[] values = new float[Math.toIntExact(size)];
    for (int i = 0; i < values.length; i++) {
      values[i] = Input.value(number, i, low, high);
    }
    try (var pointer = new FloatPointer(values)) {
      return torch.from_blob(pointer, shape).clone();
    }
  }

  private static Tensor labels(long count, int classes) {
    long[] values = new long[Math.toIntExact(count)];
    for (int i = 0; i < values.length; i++) {
      values[i] = i * 7 % classes;
    }
    try (var pointer = new LongPointer(values)) {
      return torch
          .from_blob(
              pointer,
              new long[] {count},
              new org.bytedeco.pytorch.TensorOptions(torch.ScalarType.Long))
          .clone();
    }
  }

  @Override
  public void run() {
    try (var scope = new PointerScope()) {
      optimizer.zero_grad();
      Tensor value = forward.get();
      value.backward();
      optimizer.step();
      loss = value.item_float();
    }
  }

  /** The loss of the last step. */
  @Override
  public float at(long index) {
    return loss;
  }

  @Override
  public void close() {
    optimizer.close();
    parameters.forEach(Tensor::close);
  }
}
