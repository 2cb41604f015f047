package ristretto.symbolic.layers;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;
import ristretto.symbolic.graph.Operator;
import ristretto.symbolic.graph.OperatorContext;
import ristretto.symbolic.graph.Values;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.onnx.export.OnnxGraph;
import ristretto.symbolic.onnx.export.OnnxOperator;

/**
 * Max pooling. For small windows, the maximum over one view of the input for each position in the
 * window, which needs no reduction; if windows do not overlap, one kernel writes the gradient
 * through the same views. Equal maxima share the gradient equally.
 */
final class MaxPool<T> extends Operator implements OnnxOperator {
  /** Largest number of window elements for which each position gets its own view. */
  private static final long FEW = 16;

  private final Variable<T> v;
  private final Window window;
  private final Variable<T> output;

  MaxPool(Variable<T> v, Window window) {
    super("maxPool", List.of(v));
    this.v = v;
    this.window = window;
    this.output = output(v.dtype(), this::reduced);
  }

  Variable<T> output() {
    return output;
  }

  private Expr<T> reduced(Values x) {
    return Ops.max(window.over(x.get(v), Double.NEGATIVE_INFINITY), window.lastAxes());
  }

  @Override
  protected void forward(OperatorContext x) {
    x.assign(
        output,
        window.elements() <= FEW
            ? places(x).stream().reduce((a, b) -> Ops.max(a, b)).orElseThrow()
            : reduced(x));
  }

  /** Returns one view of the input for each position in the window, in the output's shape. */
  private List<Expr<T>> places(Values x) {
    Expr<T> windows = window.over(x.get(v), Double.NEGATIVE_INFINITY);
    var all = new ArrayList<Expr<T>>();
    for (long[] place : window.places()) {
      Slice[] slices = new Slice[windows.shape().rank()];
      for (int d = 0; d < slices.length; d++) {
        int within = d - (slices.length - place.length);
        slices[d] = within < 0 ? Ops.all() : Ops.at(place[within]);
      }
      all.add(windows.slice(slices));
    }
    return all;
  }

  @Override
  protected void backward(OperatorContext x) {
    Expr<T> dy = x.gradient(output);
    if (window.elements() > FEW || !window.isApart()) {
      x.addGradients(reduced(x), dy, inputs());
      return;
    }
    Expr<T> y = x.get(output);
    var largest = new ArrayList<Expr<BOOL>>();
    Expr<T> count = null;
    for (Expr<T> place : places(x)) {
      Expr<BOOL> here = place.eq(y);
      largest.add(here);
      Expr<T> one = here.cast(v.dtype());
      count = count == null ? one : count.plus(one);
    }
    Expr<T> share = dy.div(count);
    Shape shape = x.get(v).shape();
    Tensor<T> dx = x.workspace("gradient", v.dtype(), shape.toArray());
    if (!window.covers(shape)) {
      x.write(dx, Ops.fill(v.dtype(), 0, shape.toArray()));
    }
    var pairs = new ArrayList<Pair<?>>();
    List<long[]> places = window.places();
    long[] windows = window.places(window.padded(shape));
    Slice[] slices = new Slice[shape.rank()];
    Arrays.fill(slices, Ops.all());
    for (int k = 0; k < places.size(); k++) {
      Slice[] along = window.slices(places.get(k), windows);
      System.arraycopy(along, 0, slices, slices.length - along.length, along.length);
      Tensor<T> to = dx.slice(slices);
      pairs.add(Pair.of(to, Ops.where(largest.get(k), share, 0)));
    }
    x.writeAll(pairs);
    x.addGradient(v, dx);
  }

  @Override
  protected void backwardThrough(OperatorContext x) {
    x.addGradients(reduced(x), x.gradient(output), inputs());
  }

  @Override
  protected boolean backwardReads(Variable<?> variable) {
    return true;
  }

  @Override
  public void onnx(OnnxGraph graph) {
    graph.node(output, this::reduced, "MaxPool", inputs(), window.attributes());
  }
}
