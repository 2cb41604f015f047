package ristretto.onnx.operator;

import java.util.Arrays;
import java.util.List;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.Shape;
import ristretto.onnx.call.NodeCall;
import ristretto.onnx.call.Value;
import ristretto.onnx.file.ElementType;

/** Gathers, scatters and sorting. */
final class IndexRules {
  private IndexRules() {}

  static void addTo(Rules rules) {
    rules.moves(
        "Gather", n -> Ops.take(n.in(0), wide(n.in(1)), n.axis(n.integer("axis", 0), n.rank(0))));
    rules.moves("GatherElements", IndexRules::gatherElements);
    rules.moves("GatherND", IndexRules::gatherNd);
    rules.computes("ScatterElements", IndexRules::scatterElements);
    rules.computes("Scatter", IndexRules::scatterElements);
    rules.computes("ScatterND", IndexRules::scatterNd);
    rules.add("TopK", IndexRules::topK);
    rules.add("OneHot", IndexRules::oneHot);
  }

  private static Expr<Object> wide(Expr<Object> indices) {
    return NodeCall.erase(indices.cast(Ops.I64));
  }

  /** Indices with those below 0 counted from the end. */
  private static Expr<Object> positive(Expr<Object> indices, long size) {
    Expr<Object> i = wide(indices);
    return Ops.where(i.lt(0L), i.plus(size), i);
  }

  /** Numbers of elements in the row-major order of a shape, given the coordinate of one axis. */
  private static Expr<Object> numbers(Shape in, Expr<Object> at, int axis) {
    Expr<Object> number = null;
    long stride = 1;
    for (int d = in.rank() - 1; d >= 0; d--) {
      Expr<Object> c = d == axis ? at : NodeCall.erase(Ops.coordinate(at.shape(), d));
      Expr<Object> term = c.times(stride);
      number = number == null ? term : number.plus(term);
      stride *= in.at(d);
    }
    return number;
  }

  private static Expr<Object> gatherElements(NodeCall n) {
    int axis = n.axis(n.integer("axis", 0), n.rank(0));
    Expr<Object> at = positive(n.in(1), n.shape(0).at(axis));
    return Ops.take(n.in(0).flatten(), numbers(n.shape(0), at, axis), 0);
  }

  private static Expr<Object> gatherNd(NodeCall n) {
    int batch = (int) n.integer("batch_dims", 0);
    Shape data = n.shape(0);
    Shape indices = n.shape(1);
    int last = indices.rank() - 1;
    int used = batch + (int) indices.at(last);
    Expr<Object> number = tuple(n, 1, batch);
    long rows = 1;
    for (int d = 0; d < used; d++) {
      rows *= data.at(d);
    }
    long[] dims = new long[1 + data.rank() - used];
    dims[0] = rows;
    for (int d = used; d < data.rank(); d++) {
      dims[1 + d - used] = data.at(d);
    }
    return Ops.take(n.in(0).reshape(dims), number, 0);
  }

  /** Row-major numbers of index tuples along the last axis of an input. */
  private static Expr<Object> tuple(NodeCall n, int input, int batch) {
    Shape data = n.shape(0);
    Shape indices = n.shape(input);
    int last = indices.rank() - 1;
    Shape rest = Shape.of(Arrays.copyOf(indices.toArray(), last));
    Expr<Object> number = NodeCall.erase(Ops.fill(Ops.I64, 0, rest.toArray()));
    for (int d = 0; d < batch; d++) {
      number = number.times(data.at(d)).plus(NodeCall.erase(Ops.coordinate(rest, d)));
    }
    for (int k = 0; k < indices.at(last); k++) {
      Expr<Object> one = ViewRules.part(n.in(input), last, k, k + 1).reshape(rest.toArray());
      long size = data.at(batch + k);
      number = number.times(size).plus(positive(one, size));
    }
    return number;
  }

  private static Expr<Object> scatterElements(NodeCall n) {
    int axis = n.axis(n.integer("axis", 0), n.rank(0));
    String how = n.text("reduction", "none");
    Expr<Object> at = positive(n.in(1), n.shape(0).at(axis));
    Expr<Object> number = numbers(n.shape(0), at, axis).flatten();
    return scattered(n, how, n.in(0).flatten().unsqueeze(1), number, n.in(2).reshape(-1, 1))
        .reshape(n.shape(0).toArray());
  }

  private static Expr<Object> scatterNd(NodeCall n) {
    String how = n.text("reduction", "none");
    Shape data = n.shape(0);
    int used = (int) n.shape(1).at(n.rank(1) - 1);
    Expr<Object> rows = ViewRules.matrix(n.in(0), used);
    Expr<Object> number = tuple(n, 1, 0).flatten();
    Expr<Object> values = n.in(2).reshape(number.shape().size(), rows.shape().at(1));
    return scattered(n, how, rows, number, values).reshape(data.toArray());
  }

  /**
   * Rows with some replaced or combined.
   *
   * @param rows {@code [n, d]}
   * @param number numbers of rows, {@code [m]}
   * @param values rows {@code [m, d]}
   */
  static Expr<Object> scattered(
      NodeCall n, String how, Expr<Object> rows, Expr<Object> number, Expr<Object> values) {
    Shape shape = rows.shape();
    if (number.shape().size() == 0) {
      return rows;
    }
    switch (how) {
      case "none" -> {
        // The last update of a row wins.
        Expr<Object> update = NodeCall.erase(Ops.coordinate(number.shape(), 0));
        Expr<Object> hit = hits(shape.at(0), number);
        Expr<Object> last =
            Ops.max(Ops.where(bool(hit), update, NodeCall.number(update, -1)), new int[] {1});
        Expr<Object> from = Ops.take(values, Ops.max(last, NodeCall.number(last, 0)), 0);
        return Ops.where(last.ge(0L).unsqueeze(1), from, rows);
      }
      case "add" -> {
        return rows.plus(Ops.scatterAdd(shape, 0, number, values));
      }
      default -> {
        Expr<BOOL> hit = bool(hits(shape.at(0), number)).unsqueeze(2);
        Expr<Object> all = values.unsqueeze(0);
        return switch (how) {
          case "mul" ->
              rows.times(Ops.prod(Ops.where(hit, all, NodeCall.number(rows, 1)), new int[] {1}));
          case "max" ->
              Ops.max(rows, Ops.max(Ops.where(hit, all, rows.unsqueeze(1)), new int[] {1}));
          case "min" ->
              Ops.min(rows, Ops.min(Ops.where(hit, all, rows.unsqueeze(1)), new int[] {1}));
          default ->
              throw n.refuse(
                  "the reduction must be none, add, mul, max or min", how, "Choose another");
        };
      }
    }
  }

  private static Expr<BOOL> bool(Expr<Object> e) {
    return e.cast(Ops.BOOL);
  }

  /** True where an update {@code [rows, updates]} is one of the row. */
  private static Expr<Object> hits(long rows, Expr<Object> number) {
    Expr<Object> row = NodeCall.erase(Ops.coordinate(Shape.of(rows, number.shape().size()), 0));
    return NodeCall.erase(row.eq(number.unsqueeze(0)));
  }

  private static List<Value> topK(NodeCall n) {
    int axis = n.axis(n.integer("axis", -1), n.rank(0));
    n.ignore("sorted");
    boolean largest = n.flag("largest", true);
    int k = Math.toIntExact(n.has(1) ? n.longs(1)[0] : n.integer("k", 1));
    Expr<Object> a = ElementwiseRules.ordered(n.value(0));
    Expr<Object> at;
    if (largest) {
      at = NodeCall.erase(Ops.argTopK(a, k, axis));
    } else {
      at = ViewRules.part(NodeCall.erase(Ops.argSort(a, axis)), axis, 0, k);
    }
    Expr<Object> values = Ops.takeAlongAxis(n.in(0), at, axis);
    return List.of(Value.of(values, n.value(0).type()), Value.of(at));
  }

  private static List<Value> oneHot(NodeCall n) {
    long depth = n.has(1) && n.shape(1).size() == 1 ? (long) n.doubles(1)[0] : 0;
    Expr<Object> values = n.in(2);
    ElementType type = n.value(2).type();
    int rank = n.rank(0) + 1;
    int axis = n.axis(n.integer("axis", -1), rank);
    Expr<Object> at = positive(n.in(0), depth).unsqueeze(axis);
    long[] dims = at.shape().toArray();
    dims[axis] = depth;
    Expr<Object> c = NodeCall.erase(Ops.coordinate(Shape.of(dims), axis));
    Expr<Object> off = ViewRules.part(values, 0, 0, 1).reshape();
    Expr<Object> on = ViewRules.part(values, 0, 1, 2).reshape();
    return List.of(Value.of(Ops.where(c.eq(at), on, off), type));
  }
}
