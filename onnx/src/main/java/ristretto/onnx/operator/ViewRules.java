package ristretto.onnx.operator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;
import ristretto.onnx.call.NodeCall;
import ristretto.onnx.call.Value;

/** Operators that move elements without computing any. */
final class ViewRules {
  private ViewRules() {}

  static void addTo(Rules rules) {
    rules.moves("Reshape", ViewRules::reshape);
    rules.moves(
        "Flatten",
        n -> {
          long axis = n.integer("axis", 1);
          return matrix(n.in(0), axis == n.rank(0) ? n.rank(0) : n.axis(axis, n.rank(0)));
        });
    rules.moves("Squeeze", ViewRules::squeeze);
    rules.moves("Unsqueeze", ViewRules::unsqueeze);
    rules.moves("Transpose", ViewRules::transpose);
    rules.moves("Expand", ViewRules::expand);
    rules.moves("Slice", ViewRules::slice);
    rules.add("Split", ViewRules::split);
    rules.moves(
        "Concat",
        n -> {
          int axis = n.axis(n.integer("axis", 1), n.rank(0));
          return concat(axis, n.values().stream().map(Value::expr).toList());
        });
    rules.moves("Tile", ViewRules::tile);
    rules.moves("Pad", ViewRules::pad);
    rules.moves("DepthToSpace", ViewRules::depthToSpace);
    rules.moves("SpaceToDepth", ViewRules::spaceToDepth);
    rules.moves("CenterCropPad", ViewRules::centerCropPad);
    rules.moves("Trilu", ViewRules::triangle);
    rules.moves("ReverseSequence", ViewRules::reverseSequence);
  }

  /** Merges the axes before one, and those from it on. */
  static Expr<Object> matrix(Expr<Object> a, int axis) {
    long rows = 1;
    long columns = 1;
    for (int d = 0; d < a.shape().rank(); d++) {
      if (d < axis) {
        rows *= a.shape().at(d);
      } else {
        columns *= a.shape().at(d);
      }
    }
    return a.reshape(rows, columns);
  }

  /** Slices that select positions of one axis. */
  static Slice[] part(int rank, int axis, long start, long stop) {
    var slices = new Slice[rank];
    Arrays.fill(slices, Ops.all());
    slices[axis] = Ops.range(start, stop);
    return slices;
  }

  /** Positions [start, stop) of an axis. */
  static Expr<Object> part(Expr<Object> a, int axis, long start, long stop) {
    if (start == 0 && stop == a.shape().at(axis)) {
      return a;
    }
    return a.slice(part(a.shape().rank(), axis, start, stop));
  }

  /** Concatenates what is not empty. */
  static Expr<Object> concat(int axis, List<Expr<Object>> parts) {
    List<Expr<Object>> filled = parts.stream().filter(p -> p.shape().at(axis) > 0).toList();
    return filled.isEmpty()
        ? parts.get(0)
        : filled.size() == 1 ? filled.get(0) : Ops.concat(axis, filled);
  }

  private static Expr<Object> reshape(NodeCall n) {
    long[] to = n.integers("shape", 1);
    boolean zeros = n.flag("allowzero", false);
    Shape from = n.shape(0);
    long[] dims = to.clone();
    int free = -1;
    long known = 1;
    for (int d = 0; d < dims.length; d++) {
      if (dims[d] == 0 && !zeros) {
        if (d >= from.rank()) {
          throw wrong(n, to);
        }
        dims[d] = from.at(d);
      }
      if (dims[d] == -1 && free < 0) {
        free = d;
      } else {
        known *= dims[d];
      }
    }
    if (free >= 0) {
      dims[free] = known == 0 ? 0 : from.size() / known;
      known *= dims[free];
    }
    if (known != from.size() || Arrays.stream(dims).anyMatch(d -> d < 0)) {
      throw wrong(n, to);
    }
    return n.in(0).reshape(dims);
  }

  private static RuntimeException wrong(NodeCall n, long... to) {
    return n.refuse(
        "a reshape must keep the number of elements",
        "%s to %s".formatted(n.value(0).label(), Arrays.toString(to)),
        "Give inputs of another shape, or export the model with dynamic axes");
  }

  private static Expr<Object> squeeze(NodeCall n) {
    long[] given = n.integers("axes", 1);
    Shape from = n.shape(0);
    boolean[] drop = new boolean[from.rank()];
    if (given == null) {
      for (int d = 0; d < drop.length; d++) {
        drop[d] = from.at(d) == 1;
      }
    } else {
      for (int d : n.axes(given, from.rank())) {
        drop[d] = true;
        if (from.at(d) != 1) {
          throw n.refuse(
              "squeezed axes must have extent 1", n.value(0).label(), "Choose another axis");
        }
      }
    }
    return n.in(0)
        .reshape(
            IntStream.range(0, drop.length).filter(d -> !drop[d]).mapToLong(from::at).toArray());
  }

  private static Expr<Object> unsqueeze(NodeCall n) {
    long[] given = n.integers("axes", 1);
    Shape from = n.shape(0);
    int rank = from.rank() + given.length;
    long[] dims = new long[rank];
    for (int d : n.axes(given, rank)) {
      dims[d] = 1;
    }
    int next = 0;
    for (int d = 0; d < rank; d++) {
      if (dims[d] == 0) {
        dims[d] = from.at(next++);
      }
    }
    return n.in(0).reshape(dims);
  }

  private static Expr<Object> transpose(NodeCall n) {
    long[] axes = n.integers("perm");
    return axes == null ? n.in(0).t() : n.in(0).permute(n.axes(axes, n.rank(0)));
  }

  private static Expr<Object> expand(NodeCall n) {
    return broadcast(n.in(0), n.longs(1));
  }

  /** Broadcasts an expression and given extents against one another. */
  static Expr<Object> broadcast(Expr<Object> a, long... to) {
    Shape shape = Shape.broadcast(a.shape(), Shape.of(to));
    return shape == null ? a.expand(to) : a.expand(shape.toArray());
  }

  private static Expr<Object> slice(NodeCall n) {
    long[] starts = n.integers("starts", 1);
    long[] ends = n.integers("ends", 2);
    long[] given = n.integers("axes", 3);
    int rank = n.rank(0);
    int[] axes = given == null ? IntStream.range(0, starts.length).toArray() : n.axes(given, rank);
    long[] steps = n.has(4) ? n.longs(4) : null;
    Expr<Object> a = n.in(0);
    for (int k = 0; k < axes.length; k++) {
      long step = steps == null ? 1 : steps[k];
      long size = a.shape().at(axes[k]);
      if (step == 0) {
        throw n.refuse("steps must not be 0", "step 0", "Choose another step");
      }
      long start = clipped(starts[k], size, step > 0 ? 0 : -1, step > 0 ? size : size - 1);
      long stop = clipped(ends[k], size, step > 0 ? 0 : -1, step > 0 ? size : size - 1);
      a = sliced(a, axes[k], start, stop, step);
    }
    return a;
  }

  private static long clipped(long at, long size, long least, long most) {
    return Math.clamp(at < 0 ? at + size : at, least, most);
  }

  /** Positions from start to stop, exclusive; stop is -1 for a descent to position 0. */
  private static Expr<Object> sliced(Expr<Object> a, int axis, long start, long stop, long step) {
    var slices = new Slice[a.shape().rank()];
    Arrays.fill(slices, Ops.all());
    if (step > 0) {
      slices[axis] = start < stop ? Ops.range(start, stop, step) : Ops.range(0, 0);
      return a.slice(slices);
    }
    long count = start > stop ? (start - stop - step - 1) / -step : 0;
    if (count == 0) {
      slices[axis] = Ops.range(0, 0);
      return a.slice(slices);
    }
    slices[axis] = Ops.range(start + (count - 1) * step, start + 1, -step);
    return a.slice(slices).flip(axis);
  }

  private static List<Value> split(NodeCall n) {
    int axis = n.axis(n.integer("axis", 0), n.rank(0));
    long[] sizes = n.integers("split", 1);
    long size = n.shape(0).at(axis);
    long count = n.integer("num_outputs", n.outputs());
    if (sizes == null) {
      sizes = new long[Math.toIntExact(count)];
      long each = (size + count - 1) / count;
      Arrays.fill(sizes, each);
      sizes[sizes.length - 1] = size - each * (count - 1);
    }
    if (Arrays.stream(sizes).sum() != size) {
      throw n.refuse(
          "the parts must add up to the axis",
          Arrays.toString(sizes) + " of " + n.value(0).label(),
          "Give other parts");
    }
    var parts = new ArrayList<Value>();
    long start = 0;
    for (long s : sizes) {
      parts.add(Value.of(part(n.in(0), axis, start, start + s), n.value(0).type()));
      start += s;
    }
    return parts;
  }

  private static Expr<Object> tile(NodeCall n) {
    return Ops.tile(n.in(0), n.longs(1));
  }

  private static Expr<Object> pad(NodeCall n) {
    int rank = n.rank(0);
    long[] pads = n.integers("pads", 1);
    int[] axes = n.has(3) ? n.axes(n.longs(3), rank) : IntStream.range(0, rank).toArray();
    String mode = n.text("mode", "constant");
    Expr<Object> a = n.in(0);
    double old = n.number("value", 0);
    Expr<Object> fill =
        n.has(2) ? ElementwiseRules.one(n, 2) : NodeCall.number(a, a.dtype().isFloat() ? old : 0);
    if (pads.length != 2 * axes.length) {
      throw n.refuse(
          "there must be two pads for each axis", Arrays.toString(pads), "Export the model again");
    }
    for (int k = 0; k < axes.length; k++) {
      long before = pads[k];
      long after = pads[k + axes.length];
      int d = axes[k];
      long size = a.shape().at(d);
      a = part(a, d, Math.max(0, -before), size - Math.max(0, -after));
      before = Math.max(0, before);
      after = Math.max(0, after);
      if (before + after > 0) {
        a =
            mode.equals("constant")
                ? padded(a, fill, d, before, after)
                : Ops.take(
                    a,
                    n.constant(
                        positions(n, mode, a, d, before, after), a.shape().at(d) + before + after),
                    d);
      }
    }
    return a;
  }

  /** Pads one axis with an expression's value. */
  static Expr<Object> padded(Expr<Object> a, Expr<Object> fill, int axis, long before, long after) {
    var parts = new ArrayList<Expr<Object>>();
    long[] dims = a.shape().toArray();
    for (long some : new long[] {before, after}) {
      dims[axis] = some;
      parts.add(fill.expand(dims));
    }
    parts.add(1, a);
    return concat(axis, parts);
  }

  private static long[] positions(
      NodeCall n, String mode, Expr<Object> a, int axis, long before, long after) {
    long size = a.shape().at(axis);
    long[] all = new long[Math.toIntExact(size + before + after)];
    for (int k = 0; k < all.length; k++) {
      long at = k - before;
      all[k] =
          switch (mode) {
            case "edge" -> Math.clamp(at, 0, size - 1);
            case "wrap" -> Math.floorMod(at, size);
            case "reflect" -> {
              long period = Math.max(1, 2 * (size - 1));
              long inside = Math.floorMod(at, period);
              yield inside < size ? inside : period - inside;
            }
            default ->
                throw n.refuse(
                    "the mode must be constant, edge, reflect or wrap", mode, "Choose another");
          };
    }
    return all;
  }

  private static Expr<Object> depthToSpace(NodeCall n) {
    long b = n.integer("blocksize", 1);
    long[] s = n.shape(0).toArray();
    boolean crd = n.text("mode", "DCR").equals("CRD");
    Expr<Object> a = n.in(0);
    long c = s[1] / (b * b);
    Expr<Object> split =
        crd
            ? a.reshape(s[0], c, b, b, s[2], s[3]).permute(0, 1, 4, 2, 5, 3)
            : a.reshape(s[0], b, b, c, s[2], s[3]).permute(0, 3, 4, 1, 5, 2);
    return split.reshape(s[0], c, s[2] * b, s[3] * b);
  }

  private static Expr<Object> spaceToDepth(NodeCall n) {
    long b = n.integer("blocksize", 1);
    long[] s = n.shape(0).toArray();
    return n.in(0)
        .reshape(s[0], s[1], s[2] / b, b, s[3] / b, b)
        .permute(0, 3, 5, 1, 2, 4)
        .reshape(s[0], s[1] * b * b, s[2] / b, s[3] / b);
  }

  private static Expr<Object> centerCropPad(NodeCall n) {
    long[] to = n.longs(1);
    long[] given = n.integers("axes");
    int rank = n.rank(0);
    int[] axes = given == null ? IntStream.range(0, rank).toArray() : n.axes(given, rank);
    Expr<Object> a = n.in(0);
    for (int k = 0; k < axes.length; k++) {
      long size = a.shape().at(axes[k]);
      long change = Math.abs(size - to[k]);
      if (size > to[k]) {
        a = part(a, axes[k], change / 2, change / 2 + to[k]);
      } else if (size < to[k]) {
        a = padded(a, NodeCall.number(a, 0), axes[k], change / 2, change - change / 2);
      }
    }
    return a;
  }

  private static Expr<Object> triangle(NodeCall n) {
    long k = n.scalar(1, 0);
    boolean upper = n.flag("upper", true);
    Shape shape = n.shape(0);
    Expr<?> row = Ops.coordinate(shape, shape.rank() - 2);
    Expr<Object> diagonal =
        NodeCall.erase(Ops.coordinate(shape, shape.rank() - 1)).minus(NodeCall.erase(row));
    Expr<BOOL> inside = upper ? diagonal.ge(k) : diagonal.le(k);
    return Ops.where(inside, n.in(0), NodeCall.number(n.in(0), 0));
  }

  private static Expr<Object> reverseSequence(NodeCall n) {
    int batch = n.axis(n.integer("batch_axis", 1), n.rank(0));
    int time = n.axis(n.integer("time_axis", 0), n.rank(0));
    Shape shape = n.shape(0);
    long[] dims = new long[shape.rank()];
    Arrays.fill(dims, 1);
    dims[batch] = shape.at(batch);
    Expr<Object> length = NodeCall.erase(n.in(1).cast(Ops.I64)).reshape(dims);
    return Ops.takeAlongAxis(n.in(0), reversed(shape, time, length), time);
  }

  /** Positions that reverse the first elements of an axis. */
  static Expr<Object> reversed(Shape shape, int axis, Expr<Object> length) {
    Expr<Object> at = NodeCall.erase(Ops.coordinate(shape, axis));
    return Ops.where(at.lt(length), length.minus(at).minus(1L), at);
  }
}
