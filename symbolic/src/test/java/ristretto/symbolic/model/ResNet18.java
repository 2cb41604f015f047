package ristretto.symbolic.model;

import static ristretto.symbolic.Layers.maxPool;
import static ristretto.symbolic.Layers.mean;
import static ristretto.symbolic.Layers.relu;

import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.BatchNorm;
import ristretto.symbolic.layers.Conv;
import ristretto.symbolic.layers.Dense;
import ristretto.symbolic.layers.Window;

/**
 * ResNet-18 (He et al., 2016) with torchvision's parameter names.
 *
 * @param width channels of the first stage, 64 in the paper
 */
record ResNet18(long width, long classes) {
  /** Logits of images: {@code v[n, 3, h, w] -> [n, classes]}. */
  <T> Variable<T> of(Variable<T> v) {
    Variable<T> y = relu(normalized("conv1", "bn1", v, width, 7, 2));
    y = maxPool(y, Window.of(3, 3).stride(2, 2).padding(1, 1));
    for (int stage = 0; stage < 4; stage++) {
      String name = "layer" + (stage + 1);
      y = block(name + ".0", y, width << stage, stage == 0 ? 1 : 2);
      y = block(name + ".1", y, width << stage, 1);
    }
    return new Dense("fc", classes).of(mean(y, 2, 3));
  }

  private static <T> Variable<T> block(String name, Variable<T> v, long filters, long stride) {
    Variable<T> y = relu(normalized(name + ".conv1", name + ".bn1", v, filters, 3, stride));
    y = normalized(name + ".conv2", name + ".bn2", y, filters, 3, 1);
    String down = name + ".downsample.";
    boolean changes = stride != 1 || v.dims().at(1) != filters;
    Variable<T> shortcut = changes ? normalized(down + "0", down + "1", v, filters, 1, stride) : v;
    return relu(y.plus(shortcut));
  }

  private static <T> Variable<T> normalized(
      String conv, String norm, Variable<T> v, long filters, long size, long stride) {
    long pad = size / 2;
    Window window = Window.of(size, size).stride(stride, stride).padding(pad, pad);
    return new BatchNorm(norm).of(new Conv(conv, filters, window).bias(false).of(v));
  }
}
