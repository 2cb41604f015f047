package ristretto.symbolic.layers;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Gradients;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.symbolic.graph.Operator;
import ristretto.symbolic.graph.OperatorContext;
import ristretto.symbolic.graph.Values;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.operator.ChannelAxis;
import ristretto.symbolic.onnx.export.Attribute;
import ristretto.symbolic.onnx.export.OnnxGraph;
import ristretto.symbolic.onnx.export.OnnxOperator;

/**
 * Cross-correlation of {@code v[n, c, ...]} with filters {@code w[f, c / groups, window...]}, plus
 * an optional bias for each filter; a convolution of the device's library, or a matrix product of
 * the filters with the windows.
 */
final class Convolution<T> extends Operator implements OnnxOperator {
  private final Variable<T> v;
  private final Variable<T> weight;
  private final Optional<Variable<T>> bias;
  private final Window window;
  private final long groups;
  private final Variable<T> output;

  Convolution(
      String name,
      Variable<T> v,
      Variable<T> weight,
      Optional<Variable<T>> bias,
      Window window,
      long groups) {
    super(name, inputs(v, weight, bias));
    this.v = v;
    this.weight = weight;
    this.bias = bias;
    this.window = window;
    this.groups = groups;
    this.output = output(v.dtype(), this::shaped);
  }

  private static <T> List<Variable<T>> inputs(
      Variable<T> v, Variable<T> weight, Optional<Variable<T>> bias) {
    var all = new ArrayList<>(List.of(v, weight));
    bias.ifPresent(all::add);
    return all;
  }

  Variable<T> output() {
    return output;
  }

  /** Returns an expression with the shape of the output, for shape inference. */
  private Expr<T> shaped(Values x) {
    long[] windows = window.over(x.get(v), 0).shape().extents();
    long[] shape = Arrays.copyOf(windows, 2 + window.rank());
    shape[1] = x.get(weight).shape().dim(0);
    return biased(x, Ops.fill(v.dtype(), 0, shape));
  }

  private Expr<T> biased(Values x, Expr<T> product) {
    return bias.map(b -> product.plus(ChannelAxis.spread(x.get(b), window.rank() + 2)))
        .orElse(product);
  }

  /** Returns the filters as {@code [groups, filters per group, elements of a column]}. */
  private Expr<T> rows(OperatorContext x) {
    Expr<T> w = x.get(weight);
    return w.reshape(groups, w.shape().dim(0) / groups, -1);
  }

  @Override
  protected void forward(OperatorContext x) {
    var columns = new ColumnMatrix<>(x, x.get(v), window, groups);
    long[] places = columns.places();
    long[] shape = new long[2 + places.length];
    shape[0] = x.get(v).shape().dim(0);
    shape[1] = weight.dims().at(0);
    System.arraycopy(places, 0, shape, 2, places.length);
    Tensor<T> y = x.workspace("output", v.dtype(), shape);
    Optional<Expr<T>> direct = direct(x, window.even(x.get(v)), y.context());
    if (direct.isPresent()) {
      x.write(y, biased(x, direct.get()));
      x.assign(output, y);
      return;
    }
    for (ColumnMatrix.Block block : columns.blocks()) {
      Expr<T> product = Ops.dot(rows(x), columns.unfold("columns", block));
      x.write(y.slice(block.slice()), biased(x, columns.imagesFirst(product, block)));
    }
    x.assign(output, y);
  }

  /** Returns the convolution of images with filters if a library of the device supports it. */
  private Optional<Expr<T>> direct(OperatorContext x, Expr<T> images, Context context) {
    return window.convolution(images, x.get(weight), groups).filter(context::convolves);
  }

  @Override
  protected void backward(OperatorContext x) {
    Tensor<T> db = x.workspace("db", v.dtype(), weight.dims().at(0));
    Expr<T> images = window.even(x.get(v));
    Optional<Expr<T>> direct = direct(x, images, db.context());
    if (direct.isPresent()) {
      throughLibrary(x, images, direct.get(), db);
      return;
    }
    var columns = new ColumnMatrix<>(x, x.get(v), window, groups);
    boolean one = columns.blocks().size() == 1;
    Expr<T> dy = one ? x.gradient(output) : x.materialize(x.gradient(output));
    boolean kept = one && !isRecomputed();
    throughColumns(
        x, columns, dy, kept, Optional.of(db).filter(_ -> learns(x)), x.wantsGradient(v));
  }

  /** Returns true if the gradient of the filters or that of the bias is needed. */
  private boolean learns(OperatorContext x) {
    return x.wantsGradient(weight) || bias.filter(x::wantsGradient).isPresent();
  }

  /**
   * Computes those gradients that a library of the device supports without columns, and the others
   * with columns.
   */
  @SuppressWarnings("unchecked")
  private void throughLibrary(OperatorContext x, Expr<T> images, Expr<T> y, Tensor<T> db) {
    Expr<T> dy = x.materialize(x.gradient(output));
    List<Expr<?>> gradients = Gradients.partial(y, dy, List.of(images, x.get(weight)));
    var ofImages = (Expr<T>) gradients.get(0);
    var ofFilters = (Expr<T>) gradients.get(1);
    boolean wanted = x.wantsGradient(v);
    boolean filters = learns(x) && db.context().convolves(ofFilters);
    boolean restIsImages = wanted && !db.context().convolves(ofImages);
    if (filters) {
      x.addGradient(weight, ofFilters);
      if (bias.isPresent()) {
        long[] flat = {dy.shape().dim(0), dy.shape().dim(1), -1};
        x.write(db, Ops.sum(dy.reshape(flat), 0, 2));
        x.addGradient(bias.get(), db);
      }
    }
    if (wanted && !restIsImages) {
      x.addGradient(v, window.uneven(ofImages, x.get(v).shape()));
    }
    boolean restLearns = learns(x) && !filters;
    if (restLearns || restIsImages) {
      var columns = new ColumnMatrix<>(x, x.get(v), window, groups);
      Optional<Tensor<T>> restIsFilters = Optional.of(db).filter(_ -> restLearns);
      throughColumns(x, columns, dy, false, restIsFilters, restIsImages);
    }
  }

  /**
   * Computes gradients as products with columns.
   *
   * @param kept true if the columns of all images are still in memory
   * @param db memory for the gradient of the bias; empty if the gradients of bias and filters are
   *     not needed
   * @param wanted true if the gradient of the images is needed
   */
  private void throughColumns(
      OperatorContext x,
      ColumnMatrix<T> columns,
      Expr<T> dy,
      boolean kept,
      Optional<Tensor<T>> db,
      boolean wanted) {
    Expr<T> w = rows(x);
    Tensor<T> dw = db.isEmpty() ? null : x.workspace("dw", v.dtype(), w.shape().toArray());
    Tensor<T> dx = wanted ? x.workspace("dx", v.dtype(), x.get(v).shape().toArray()) : null;
    for (ColumnMatrix.Block block : columns.blocks()) {
      Tensor<T> unfolded = null;
      if (dw != null) {
        unfolded = kept ? columns.matrix("columns", block) : columns.unfold("columns again", block);
      }
      Tensor<T> d = columns.imagesLast("dy", dy, block);
      if (dw != null) {
        Expr<T> ofWeight = Ops.dot(d, unfolded.permute(0, 2, 1));
        boolean first = block.from() == 0;
        x.write(dw, first ? ofWeight : dw.plus(ofWeight));
        if (bias.isPresent()) {
          Expr<T> ofBias = Ops.sum(d, 2).reshape(-1);
          x.write(db.get(), first ? ofBias : db.get().plus(ofBias));
        }
      }
      if (wanted) {
        x.write(columns.matrix("gradients", block), Ops.dot(w.permute(0, 2, 1), d));
        columns.fold("gradients", block, dx);
      }
    }
    if (dw != null) {
      x.addGradient(weight, dw.reshape(x.get(weight).shape().toArray()));
      bias.ifPresent(b -> x.addGradient(b, db.get()));
    }
    if (wanted) {
      x.addGradient(v, dx);
    }
  }

  @Override
  protected void backwardThrough(OperatorContext x) {
    x.addGradients(formula(x), x.gradient(output), inputs());
  }

  private Expr<T> formula(Values x) {
    Expr<T> images = window.even(x.get(v));
    Expr<T> filters = x.get(weight);
    Expr<T> product =
        window
            .convolution(images, filters, groups)
            .orElseGet(() ->
                window
                    .convolution(images.cast(Ops.F32), filters.cast(Ops.F32), groups)
                    .orElseThrow()
                    .cast(v.dtype()));
    return biased(x, product);
  }

  @Override
  public void onnx(OnnxGraph graph) {
    Attribute[] attributes = Arrays.copyOf(window.attributes(), window.attributes().length + 1);
    attributes[attributes.length - 1] = new Attribute.Int("group", groups);
    graph.node(output, this::shaped, "Conv", inputs(), attributes);
  }

  @Override
  protected boolean backwardReads(Variable<?> variable) {
    return variable == v || variable == weight;
  }
}
