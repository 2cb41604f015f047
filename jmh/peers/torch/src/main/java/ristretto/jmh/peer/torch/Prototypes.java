package ristretto.jmh.peer.torch;

import static ristretto.jmh.peer.torch.Training.INPUTS;
import static ristretto.jmh.peer.torch.Training.RATE;
import static ristretto.jmh.peer.torch.Training.integers;
import static ristretto.jmh.peer.torch.Training.labels;
import static ristretto.jmh.peer.torch.Training.numbers;

import java.util.ArrayList;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.bytedeco.pytorch.AdamW;
import org.bytedeco.pytorch.AdamWOptions;
import org.bytedeco.pytorch.DoubleOptional;
import org.bytedeco.pytorch.PackedSequence;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import ristretto.jmh.line.Dims;

/** Models that users prototype, with the parameters in the order of our engine's. */
final class Prototypes {
  private Prototypes() {}

  static void resnet(Training t, Dims dims) {
    long batch = dims.get(0);
    long size = dims.get(1);
    var layers = new ArrayList<UnaryOperator<Tensor>>();
    UnaryOperator<Tensor> first = conv(t, 3, 64, 3, 1);
    layers.add(x -> torch.relu(first.apply(x)));
    long in = 64;
    for (int k = 0; k < 4; k++) {
      long out = 64L << k;
      layers.add(residual(t, in, out, k == 0 ? 1 : 2));
      layers.add(residual(t, out, out, 1));
      in = out;
    }
    Tensor w = t.weight(512, 10);
    Tensor b = t.parameter(10);
    Tensor x = numbers(INPUTS, 0, 1, batch, 3, size, size);
    Tensor label = labels(batch, 10);
    var options = new SGDOptions(RATE);
    options.momentum().put(0.9);
    t.steps(
        () -> {
          Tensor y = x;
          for (UnaryOperator<Tensor> layer : layers) {
            y = layer.apply(y);
          }
          Tensor pooled = torch.flatten(torch.adaptive_avg_pool2d(y, 1, 1), 1, -1);
          return torch.cross_entropy_loss(torch.linear(pooled, w, b), label);
        },
        new SGD(t.vector(), options));
  }

  private static UnaryOperator<Tensor> residual(Training t, long in, long out, long stride) {
    UnaryOperator<Tensor> first = conv(t, in, out, 3, stride);
    UnaryOperator<Tensor> second = conv(t, out, out, 3, 1);
    UnaryOperator<Tensor> down = stride == 1 ? x -> x : conv(t, in, out, 1, stride);
    return x -> {
      Tensor y = second.apply(torch.relu(first.apply(x)));
      return torch.relu(y.add(down.apply(x)));
    };
  }

  /** Convolution without bias, then batch normalization. */
  private static UnaryOperator<Tensor> conv(Training t, long in, long out, long size, long stride) {
    Tensor kernel = t.parameter(out, in, size, size);
    var scale = new TensorOptional(t.parameter(out));
    var offset = new TensorOptional(t.parameter(out));
    var mean = new TensorOptional(torch.zeros(out));
    var variance = new TensorOptional(torch.ones(out));
    long[] strides = {stride, stride};
    long[] padding = {size / 2, size / 2};
    long[] one = {1, 1};
    var none = new TensorOptional();
    return x -> {
      Tensor y = torch.conv2d(x, kernel, none, strides, padding, one, 1);
      return torch.batch_norm(y, scale, offset, mean, variance, true, 0.1, 1e-5, false);
    };
  }

  static void gpt(Training t, Dims dims) {
    long width = dims.get(1);
    long steps = dims.get(2);
    long batch = dims.get(3);
    Tensor table = t.parameter(64, width);
    Tensor places = t.parameter(steps, width);
    var blocks = new ArrayList<UnaryOperator<Tensor>>();
    for (int k = 0; k < dims.get(0); k++) {
      blocks.add(block(t, width, batch, steps));
    }
    UnaryOperator<Tensor> last = norm(t, width);
    Tensor words = labels(batch * steps, 64).view(batch, steps);
    Tensor next = labels(batch * steps, 63);
    t.steps(
        () -> {
          Tensor x = torch.embedding(table, words).add(places);
          for (UnaryOperator<Tensor> block : blocks) {
            x = block.apply(x);
          }
          Tensor logits = torch.linear(last.apply(x), table);
          return torch.cross_entropy_loss(logits.view(-1, 64), next);
        },
        new AdamW(t.vector(), new AdamWOptions(RATE)));
  }

  private static UnaryOperator<Tensor> block(Training t, long width, long batch, long steps) {
    UnaryOperator<Tensor> norm1 = norm(t, width);
    // Our engine's order is that of the products: values, keys, queries.
    var projections = Stream.generate(() -> linear(t, width, width)).limit(3).toList();
    UnaryOperator<Tensor> output = linear(t, width, width);
    UnaryOperator<Tensor> norm2 = norm(t, width);
    UnaryOperator<Tensor> up = linear(t, width, 4 * width);
    UnaryOperator<Tensor> down = linear(t, 4 * width, width);
    var mask = new TensorOptional();
    var scale = new DoubleOptional();
    return x -> {
      Tensor normal = norm1.apply(x);
      Tensor[] vkq =
          projections.stream()
              .map(p -> p.apply(normal).view(batch, steps, width / 64, 64).transpose(1, 2))
              .toArray(Tensor[]::new);
      Tensor seen =
          torch.scaled_dot_product_attention(vkq[2], vkq[1], vkq[0], mask, 0.0, true, scale, false);
      Tensor joined = seen.transpose(1, 2).reshape(batch, steps, width);
      Tensor y = x.add(output.apply(joined));
      return y.add(down.apply(torch.gelu(up.apply(norm2.apply(y)), "tanh")));
    };
  }

  private static UnaryOperator<Tensor> norm(Training t, long width) {
    var scale = new TensorOptional(t.parameter(width));
    var offset = new TensorOptional(t.parameter(width));
    long[] axis = {width};
    return x -> torch.layer_norm(x, axis, scale, offset, 1e-5, true);
  }

  private static UnaryOperator<Tensor> linear(Training t, long in, long out) {
    Tensor w = t.weight(in, out);
    Tensor b = t.parameter(out);
    return x -> torch.linear(x, w, b);
  }

  static void vae(Training t, Dims dims) {
    long batch = dims.get(0);
    UnaryOperator<Tensor> fc1 = linear(t, 784, 400);
    UnaryOperator<Tensor> mean = linear(t, 400, 20);
    UnaryOperator<Tensor> logVariance = linear(t, 400, 20);
    UnaryOperator<Tensor> fc3 = linear(t, 20, 400);
    UnaryOperator<Tensor> fc4 = linear(t, 400, 784);
    Tensor x = numbers(INPUTS, 0, 1, batch, 784);
    Tensor noise = numbers(INPUTS + 1, -1, 1, batch, 20);
    var half = new Scalar(0.5);
    var one = new Scalar(1.0);
    var minusHalf = new Scalar(-0.5);
    var count = new Scalar((double) batch);
    var none = new TensorOptional();
    t.steps(
        () -> {
          Tensor h = torch.relu(fc1.apply(x));
          Tensor mu = mean.apply(h);
          Tensor log = logVariance.apply(h);
          Tensor z = mu.add(noise.mul(torch.exp(log.mul(half))));
          Tensor logits = fc4.apply(torch.relu(fc3.apply(z)));
          // Reduction 2 is the sum.
          Tensor error = torch.binary_cross_entropy_with_logits(logits, x, none, none, 2);
          Tensor divergence = log.add(one).sub(mu.pow(new Scalar(2.0))).sub(log.exp()).sum();
          return error.add(divergence.mul(minusHalf)).div(count);
        },
        t.adam());
  }

  static void tagger(Training t, Dims dims) {
    int steps = Math.toIntExact(dims.get(0));
    int batch = Math.toIntExact(dims.get(1));
    Tensor table = t.parameter(5000, 100);
    var weights = new TensorVector();
    for (int direction = 0; direction < 2; direction++) {
      weights.push_back(t.weight(100, 3 * 128));
      weights.push_back(t.weight(128, 3 * 128));
      weights.push_back(t.parameter(3 * 128));
      weights.push_back(t.parameter(3 * 128));
    }
    UnaryOperator<Tensor> tag = linear(t, 256, 20);
    Tensor words = labels((long) steps * batch, 5000).view(steps, batch);
    long[] lengths = new long[batch];
    for (int i = 0; i < batch; i++) {
      lengths[i] = steps - i * (7 * steps / 8) / Math.max(1, batch - 1);
    }
    long[] tags = new long[steps * batch];
    for (int i = 0; i < tags.length; i++) {
      tags[i] = i / batch < lengths[i % batch] ? i * 7 % 20 : -1;
    }
    Tensor labels = integers(tags);
    Tensor length = integers(lengths);
    Tensor before = torch.zeros(2, batch, 128);
    var none = new TensorOptional();
    t.steps(
        () -> {
          PackedSequence packed =
              torch.pack_padded_sequence(torch.embedding(table, words), length, false, true);
          Tensor out =
              torch
                  .gru(packed.data(), packed.batch_sizes(), before, weights, true, 1, 0, true, true)
                  .get0();
          Tensor padded =
              torch.pad_packed_sequence(new PackedSequence(out, packed.batch_sizes())).get0();
          Tensor scores = tag.apply(padded).view(-1, 20);
          return torch.cross_entropy_loss(scores, labels, none, 1, -1, 0.0);
        },
        t.adam());
  }
}
