package ristretto.onnx.operator;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.Shape;
import ristretto.onnx.call.NodeCall;
import ristretto.onnx.call.Value;

/** Pools over windows and over whole images. */
final class PoolRules {
  private PoolRules() {}

  static void addTo(Rules rules) {
    rules.one("GlobalAveragePool", n -> Ops.mean(n.in(0), image(n)).keepDims());
    rules.one("GlobalMaxPool", n -> Ops.max(n.in(0), image(n)).keepDims());
    rules.one("AveragePool", PoolRules::average);
    rules.add("MaxPool", PoolRules::max);
    rules.one("LpPool", PoolRules::lp);
  }

  private static int[] image(NodeCall n) {
    return IntStream.range(2, n.rank(0)).toArray();
  }

  private static Windows windows(NodeCall n) {
    long[] kernel = n.integers("kernel_shape");
    if (kernel == null) {
      throw n.refuse("attribute kernel_shape must be given", "none", "Export the model again");
    }
    return Windows.of(n, kernel, n.flag("ceil_mode", false));
  }

  private static Expr<Object> average(NodeCall n) {
    Windows w = windows(n);
    boolean padding = n.flag("count_include_pad", false);
    Expr<Object> x = n.in(0);
    Expr<Object> sum = Ops.sum(w.windows(w.pad(x, 0, 0)), w.elements());
    Expr<Object> ones = NodeCall.number(x, 1).expand(x.shape().toArray());
    Expr<Object> count = Ops.sum(w.windows(w.pad(ones, padding ? 1 : 0, 0)), w.elements());
    return sum.div(count);
  }

  private static List<Value> max(NodeCall n) {
    Windows w = windows(n);
    boolean columnMajor = n.integer("storage_order", 0) == 1;
    Expr<Object> x = n.in(0);
    double least = x.dtype().isFloat() ? Double.NEGATIVE_INFINITY : x.dtype().least();
    Expr<Object> windows = w.windows(w.pad(x, least, least));
    var all = new ArrayList<>(List.of(Value.of(Ops.max(windows, w.elements()))));
    if (n.wants(1)) {
      Shape shape = x.shape();
      Expr<Object> at = null;
      long stride = 1;
      for (int k = 0; k < w.axes(); k++) {
        int d = columnMajor ? 2 + k : shape.rank() - 1 - k;
        Expr<Object> c = NodeCall.erase(Ops.coordinate(shape, d)).times(stride);
        at = at == null ? c : at.plus(c);
        stride *= shape.at(d);
      }
      Expr<Object> image =
          NodeCall.erase(Ops.coordinate(shape, 0))
              .times(shape.at(1))
              .plus(NodeCall.erase(Ops.coordinate(shape, 1)));
      at = at.plus(image.times(stride));
      all.add(Value.of(chosen(w, windows, w.windows(w.pad(at, 0, 0)))));
    }
    return all;
  }

  /** Element of each window of numbers at the position of the largest of the window. */
  private static Expr<Object> chosen(Windows w, Expr<Object> windows, Expr<Object> numbers) {
    long elements = 1;
    for (long k : w.kernel()) {
      elements *= k;
    }
    long rows = windows.shape().size() / elements;
    Expr<Object> at = NodeCall.erase(Ops.argMax(windows.reshape(rows, elements), 1).keepDims());
    long[] dims = new long[2 + w.axes()];
    for (int d = 0; d < dims.length; d++) {
      dims[d] = windows.shape().at(d);
    }
    return Ops.takeAlongAxis(numbers.reshape(rows, elements), at, 1).reshape(dims);
  }

  private static Expr<Object> lp(NodeCall n) {
    Windows w = windows(n);
    double p = n.integer("p", 2);
    Expr<Object> powers = Ops.pow(Ops.abs(w.windows(w.pad(n.in(0), 0, 0))), p);
    return Ops.pow(Ops.sum(powers, w.elements()), 1 / p);
  }
}
