package ristretto.symbolic.model;

import static ristretto.symbolic.Layers.adaptiveAveragePool;
import static ristretto.symbolic.Layers.hardSigmoid;
import static ristretto.symbolic.Layers.hardSwish;
import static ristretto.symbolic.Layers.mean;
import static ristretto.symbolic.Layers.relu;

import java.util.List;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.BatchNorm;
import ristretto.symbolic.layers.Conv;
import ristretto.symbolic.layers.Dense;
import ristretto.symbolic.layers.Window;

/**
 * MobileNetV3 (Howard et al., 2019) with torchvision's parameter names.
 *
 * @param stem channels of the first convolution
 * @param last channels of the last convolution
 * @param hidden width of the classifier's hidden layer
 */
record MobileNetV3(List<Row> rows, long stem, long last, long hidden, long classes) {
  /** Inverted residual block, a row of the paper's tables. */
  record Row(long size, long expanded, long filters, boolean squeeze, boolean hard, long stride) {}

  static final List<Row> SMALL =
      List.of(
          new Row(3, 16, 16, true, false, 2),
          new Row(3, 72, 24, false, false, 2),
          new Row(3, 88, 24, false, false, 1),
          new Row(5, 96, 40, true, true, 2),
          new Row(5, 240, 40, true, true, 1),
          new Row(5, 240, 40, true, true, 1),
          new Row(5, 120, 48, true, true, 1),
          new Row(5, 144, 48, true, true, 1),
          new Row(5, 288, 96, true, true, 2),
          new Row(5, 576, 96, true, true, 1),
          new Row(5, 576, 96, true, true, 1));

  /** Logits of images: {@code v[n, 3, h, w] -> [n, classes]}. */
  <T> Variable<T> of(Variable<T> v) {
    Variable<T> y = hardSwish(normalized("features.0", v, stem, 3, 2, false));
    for (int k = 0; k < rows.size(); k++) {
      y = block("features." + (k + 1) + ".block.", y, rows.get(k));
    }
    y = hardSwish(normalized("features." + (rows.size() + 1), y, last, 1, 1, false));
    Variable<T> h = hardSwish(new Dense("classifier.0", hidden).of(mean(y, 2, 3)));
    return new Dense("classifier.3", classes).of(h);
  }

  private static <T> Variable<T> block(String name, Variable<T> v, Row row) {
    long channels = v.dims().at(1);
    Variable<T> y = v;
    int k = 0;
    if (row.expanded != channels) {
      y = active(row, normalized(name + k++, y, row.expanded, 1, 1, false));
    }
    y = active(row, normalized(name + k++, y, row.expanded, row.size, row.stride, true));
    if (row.squeeze) {
      y = squeezed(name + k++, y);
    }
    y = normalized(name + k, y, row.filters, 1, 1, false);
    return row.stride == 1 && row.filters == channels ? y.plus(v) : y;
  }

  private static <T> Variable<T> active(Row row, Variable<T> v) {
    return row.hard ? hardSwish(v) : relu(v);
  }

  private static <T> Variable<T> squeezed(String name, Variable<T> v) {
    long channels = v.dims().at(1);
    long fewer = Math.max(8, (channels / 4 + 4) / 8 * 8);
    Window one = Window.of(1, 1);
    Variable<T> h = relu(new Conv(name + ".fc1", fewer, one).of(adaptiveAveragePool(v, 1, 1)));
    return v.times(hardSigmoid(new Conv(name + ".fc2", channels, one).of(h)));
  }

  private static <T> Variable<T> normalized(
      String name, Variable<T> v, long filters, long size, long stride, boolean depthwise) {
    long pad = size / 2;
    Window window = Window.of(size, size).stride(stride, stride).padding(pad, pad);
    Conv conv = new Conv(name + ".0", filters, window).bias(false);
    Variable<T> y = (depthwise ? conv.depthwise() : conv).of(v);
    return new BatchNorm(name + ".1").epsilon(1e-3).momentum(0.01).of(y);
  }
}
