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
import org.bytedeco.pytorch.AdamW;
import org.bytedeco.pytorch.AdamWOptions;
import org.bytedeco.pytorch.Optimizer;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
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
  static final double RATE = 1e-9;
  static final int INPUTS = 100;

  private final List<Tensor> parameters = new ArrayList<>();
  private Runnable body;
  private Optimizer optimizer;
  private float loss;
  private long before;
  private Supplier<Float> number = () -> loss;

  private Training() {}

  /** Empty for a model that is not known. */
  static Optional<PeerWork> find(String name, Dims dims) {
    var training = new Training();
    training.before = Allocations.start();
    switch (name) {
      case "mlp" -> training.mlp(dims);
      case "lstm" -> training.lstm(dims);
      case "lenet" -> training.lenet(dims);
      case "attention" -> training.attention(dims);
      case "block" -> training.block(dims);
      case "adam" -> training.adamAlone(dims);
      case "resnet18-cifar" -> Prototypes.resnet(training, dims);
      case "gpt-psalms" -> Prototypes.gpt(training, dims);
      case "vae" -> Prototypes.vae(training, dims);
      case "gru-tagger" -> Prototypes.tagger(training, dims);
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
    steps(
        () -> {
          Tensor h1 = torch.relu(torch.linear(x, w1, b1));
          Tensor h2 = torch.relu(torch.linear(h1, w2, b2));
          return torch.cross_entropy_loss(torch.linear(h2, w3, b3), label);
        },
        adam());
  }

  private void lstm(Dims dims) {
    long steps = dims.get(0);
    long batch = dims.get(1);
    long hidden = 200;
    Tensor vectors = parameter(2058, hidden);
    var weights = new TensorVector();
    for (int layer = 0; layer < 2; layer++) {
      weights.push_back(weight(hidden, 4 * hidden));
      weights.push_back(weight(hidden, 4 * hidden));
      weights.push_back(parameter(4 * hidden));
      // The second bias, which adds nothing, stays 0.
      weights.push_back(torch.zeros(4 * hidden));
    }
    Tensor w = weight(hidden, 2058);
    Tensor b = parameter(2058);
    Tensor words = labels(steps * batch, 2058).view(steps, batch);
    Tensor next = labels(steps * batch, 2057);
    Tensor[] before = {torch.zeros(2, batch, hidden), torch.zeros(2, batch, hidden)};
    TensorVector all = vector();
    optimizer = new SGD(all, new SGDOptions(RATE));
    var number = new Scalar((double) steps);
    body =
        () -> {
          optimizer.zero_grad();
          Tensor input = torch.embedding(vectors, words);
          var out =
              torch.lstm(input, new TensorVector(before), weights, true, 2, 0, true, false, false);
          Tensor scores = torch.linear(out.get0().view(-1, hidden), w, b);
          Tensor value = torch.cross_entropy_loss(scores, next).mul(number);
          value.backward();
          torch.clip_grad_norm_(all, 5);
          optimizer.step();
          before[0].copy_(out.get1().detach());
          before[1].copy_(out.get2().detach());
          loss = value.item_float();
        };
  }

  private void lenet(Dims dims) {
    long batch = dims.get(0);
    Tensor c1 = parameter(6, 1, 5, 5);
    Tensor b1 = parameter(6);
    Tensor c2 = parameter(16, 6, 5, 5);
    Tensor b2 = parameter(16);
    Tensor w3 = weight(400, 120);
    Tensor b3 = parameter(120);
    Tensor w4 = weight(120, 84);
    Tensor b4 = parameter(84);
    Tensor w5 = weight(84, 10);
    Tensor b5 = parameter(10);
    Tensor x = numbers(INPUTS, 0, 1, batch, 1, 28, 28);
    Tensor label = labels(batch, 10);
    var bias1 = new TensorOptional(b1);
    var bias2 = new TensorOptional(b2);
    long[] one = {1, 1};
    long[] two = {2, 2};
    long[] none = {0, 0};
    steps(
        () -> {
          Tensor a1 = torch.relu(torch.conv2d(x, c1, bias1, one, two, one, 1));
          Tensor p1 = torch.max_pool2d(a1, two, two, none, one, false);
          Tensor a2 = torch.relu(torch.conv2d(p1, c2, bias2, one, none, one, 1));
          Tensor p2 = torch.max_pool2d(a2, two, two, none, one, false);
          Tensor h1 = torch.relu(torch.linear(torch.flatten(p2, 1, -1), w3, b3));
          Tensor h2 = torch.relu(torch.linear(h1, w4, b4));
          return torch.cross_entropy_loss(torch.linear(h2, w5, b5), label);
        },
        new AdamW(vector(), new AdamWOptions(RATE)));
  }

  private void attention(Dims dims) {
    long[] shape = {dims.get(0), dims.get(1), dims.get(2), dims.get(3)};
    Tensor q = parameter(shape);
    Tensor k = parameter(shape);
    Tensor v = parameter(shape);
    Tensor weight = numbers(INPUTS, -1, 1, shape);
    optimizer = new SGD(vector(), new SGDOptions(0));
    body =
        () -> {
          optimizer.zero_grad();
          Tensor value = torch.scaled_dot_product_attention(q, k, v).mul(weight).sum();
          value.backward();
          loss = value.item_float();
        };
  }

  private void block(Dims dims) {
    long rows = dims.get(0);
    long width = dims.get(1);
    var scale = new TensorOptional(parameter(width));
    var shift = new TensorOptional(parameter(width));
    Tensor up = weight(width, 4 * width);
    Tensor upBias = parameter(4 * width);
    Tensor down = weight(4 * width, width);
    Tensor downBias = parameter(width);
    Tensor x = numbers(INPUTS, -1, 1, rows, width);
    x.set_requires_grad(true);
    Tensor weight = numbers(INPUTS + 1, -1, 1, rows, width);
    var input = new SGD(new TensorVector(x), new SGDOptions(0));
    long[] axis = {width};
    steps(
        () -> {
          input.zero_grad();
          Tensor normal = torch.layer_norm(x, axis, scale, shift, 1e-5, true);
          Tensor wide = torch.gelu(torch.linear(normal, up, upBias), "tanh");
          return torch.linear(wide, down, downBias).add(x).mul(weight).sum();
        },
        adam());
  }

  /** The update alone; its number is the first parameter. */
  private void adamAlone(Dims dims) {
    Tensor w = parameter(dims.get(0));
    Tensor x = numbers(INPUTS, -1, 1, dims.get(0));
    w.mul(x).sum().backward();
    optimizer = adam();
    body = optimizer::step;
    number = () -> w.data_ptr_float().get(0);
  }

  Adam adam() {
    return new Adam(vector(), new AdamOptions(RATE));
  }

  void steps(Supplier<Tensor> forward, Optimizer optimizer) {
    this.optimizer = optimizer;
    body =
        () -> {
          optimizer.zero_grad();
          Tensor value = forward.get();
          value.backward();
          optimizer.step();
          loss = value.item_float();
        };
  }

  TensorVector vector() {
    return new TensorVector(parameters.toArray(Tensor[]::new));
  }

  /** Numbered over {@code [in, out]}, but kept as PyTorch keeps it: {@code [out, in]}. */
  Tensor weight(long in, long out) {
    return learned(numbers(parameters.size(), -RANGE, RANGE, in, out).t().contiguous());
  }

  Tensor parameter(long... shape) {
    return learned(numbers(parameters.size(), -RANGE, RANGE, shape));
  }

  private Tensor learned(Tensor values) {
    Tensor parameter = values.clone();
    parameter.set_requires_grad(true);
    parameters.add(parameter);
    return parameter;
  }

  static Tensor numbers(int number, double low, double high, long... shape) {
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

  static Tensor labels(long count, int classes) {
    long[] values = new long[Math.toIntExact(count)];
    for (int i = 0; i < values.length; i++) {
      values[i] = i * 7 % classes;
    }
    return integers(values);
  }

  static Tensor integers(long[] values) {
    try (var pointer = new LongPointer(values)) {
      return torch
          .from_blob(
              pointer,
              new long[] {values.length},
              new org.bytedeco.pytorch.TensorOptions(torch.ScalarType.Long))
          .clone();
    }
  }

  @Override
  public void run() {
    try (var scope = new PointerScope()) {
      body.run();
    }
  }

  /** The loss of the last step. */
  @Override
  public float at(long index) {
    return number.get();
  }

  @Override
  public long peak() {
    return Allocations.most() - before;
  }

  @Override
  public void close() {
    optimizer.close();
    parameters.forEach(Tensor::close);
  }
}
