package ristretto.symbolic;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import ristretto.expr.Expr;
import ristretto.expr.Gradients;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.symbolic.onnx.Attribute;

/**
 * Cross-correlation of {@code v[n, c, ...]} with filters {@code w[f, c / groups, window...]}, plus
 * a bias for each filter: a product of the filters with the windows.
 */
final class Convolution<T> extends Operator {
  private final Variable<T> v;
  private final Variable<T> weight;
  private final Variable<T> bias;
  private final Window window;
  private final long groups;
  private final Variable<T> output;

  Convolution(
      String name,
      Variable<T> v,
      Variable<T> weight,
      Variable<T> bias,
      Window window,
      long groups) {
    super(name, List.of(v, weight, bias));
    this.v = v;
    this.weight = weight;
    this.bias = bias;
    this.window = window;
    this.groups = groups;
    this.output = output(v.dtype(), Probe.infer(name, this::shaped, inputs()));
  }

  Variable<T> output() {
    return output;
  }

  /** Of the shape of the output. */
  private Expr<T> shaped(Values x) {
    long[] windows = window.over(x.get(v), 0).shape().toArray();
    long[] shape = Arrays.copyOf(windows, 2 + window.rank());
    shape[1] = x.get(weight).shape().dim(0);
    return biased(Ops.fill(v.dtype(), 0, shape), x.get(bias));
  }

  private Expr<T> biased(Expr<T> product, Expr<T> bias) {
    return product.plus(ChannelAxis.spread(bias, window.rank() + 2));
  }

  /** {@code [groups, filters of a group, elements of a column]}. */
  private Expr<T> rows(Executor x) {
    Expr<T> w = x.get(weight);
    return w.reshape(groups, w.shape().dim(0) / groups, -1);
  }

  @Override
  protected void forward(Executor x) {
    var columns = new Columns<>(x, x.get(v), window, groups);
    Expr<T> b = x.get(bias);
    long[] places = columns.places();
    long[] shape = new long[2 + places.length];
    shape[0] = x.get(v).shape().dim(0);
    shape[1] = b.shape().dim(0);
    System.arraycopy(places, 0, shape, 2, places.length);
    Tensor<T> y = x.room("output", v.dtype(), shape);
    Optional<Expr<T>> direct = window.convolution(x.get(v), x.get(weight), groups);
    if (direct.isPresent() && y.context().convolves(direct.get())) {
      x.write(y, biased(direct.get(), b));
      x.assign(output, y);
      return;
    }
    for (Columns.Block block : columns.blocks()) {
      Expr<T> product = Ops.dot(rows(x), columns.unfold("columns", block));
      x.write(y.slice(block.slice()), biased(columns.imagesFirst(product, block), b));
    }
    x.assign(output, y);
  }

  @Override
  protected void backward(Executor x) {
    Optional<Expr<T>> direct = window.convolution(x.get(v), x.get(weight), groups);
    Tensor<T> db = x.room("db", v.dtype(), x.get(bias).shape().toArray());
    if (direct.isPresent() && db.context().convolves(direct.get())) {
      throughLibrary(x, direct.get(), db);
    } else {
      throughColumns(x, db);
    }
  }

  /** What a library of the device does without copies of windows. */
  @SuppressWarnings("unchecked")
  private void throughLibrary(Executor x, Expr<T> y, Tensor<T> db) {
    Expr<T> dy = x.inMemory(x.gradient(output));
    Expr<T> images = x.get(v);
    Expr<T> filters = x.get(weight);
    List<Expr<?>> gradients = Gradients.partial(y, dy, List.of(images, filters));
    x.addGradient(weight, (Expr<T>) gradients.get(1));
    long[] flat = {dy.shape().dim(0), dy.shape().dim(1), -1};
    x.write(db, Ops.sum(dy.reshape(flat), 0, 2));
    x.addGradient(bias, db);
    if (x.wantsGradient(v)) {
      x.addGradient(v, (Expr<T>) gradients.get(0));
    }
  }

  private void throughColumns(Executor x, Tensor<T> db) {
    var columns = new Columns<>(x, x.get(v), window, groups);
    List<Columns.Block> blocks = columns.blocks();
    Expr<T> dy = blocks.size() == 1 ? x.gradient(output) : x.inMemory(x.gradient(output));
    Expr<T> w = rows(x);
    Tensor<T> dw = x.room("dw", v.dtype(), w.shape().toArray());
    boolean wanted = x.wantsGradient(v);
    Tensor<T> dx = wanted ? x.room("dx", v.dtype(), x.get(v).shape().toArray()) : null;
    for (Columns.Block block : blocks) {
      boolean kept = blocks.size() == 1 && !isRecomputed();
      Tensor<T> unfolded =
          kept ? columns.matrix("columns", block) : columns.unfold("columns again", block);
      Tensor<T> d = columns.imagesLast("dy", dy, block);
      Expr<T> ofWeight = Ops.dot(d, unfolded.permute(0, 2, 1));
      Expr<T> ofBias = Ops.sum(d, 2).reshape(-1);
      boolean first = block.from() == 0;
      x.write(dw, first ? ofWeight : dw.plus(ofWeight));
      x.write(db, first ? ofBias : db.plus(ofBias));
      if (wanted) {
        x.write(columns.matrix("gradients", block), Ops.dot(w.permute(0, 2, 1), d));
        columns.fold("gradients", block, dx);
      }
    }
    x.addGradient(weight, dw.reshape(x.get(weight).shape().toArray()));
    x.addGradient(bias, db);
    if (wanted) {
      x.addGradient(v, dx);
    }
  }

  @Override
  void onnx(OnnxGraph graph) {
    Attribute[] attributes = Arrays.copyOf(window.attributes(), window.attributes().length + 1);
    attributes[attributes.length - 1] = new Attribute.Whole("group", groups);
    graph.node(output, this::shaped, "Conv", inputs(), attributes);
  }

  @Override
  protected boolean backwardReads(Variable<?> variable) {
    return variable == v || variable == weight;
  }
}
