package ristretto.testkit;

import static ristretto.expr.Ops.F32;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.DoubleBinaryOperator;
import java.util.function.Function;
import java.util.stream.Collectors;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.expr.type.Slice;

/**
 * Expression graph of F32 whole numbers, encoded by a list of numbers that jqwik can shrink. All
 * values stay below 2^24, so every correct evaluation, fused or not, gives equal results.
 */
final class RandomGraph {
  private static final double LARGEST = 1 << 23;
  private static final int LARGEST_SIZE = 1500;
  private static final List<Long> EXTENTS = List.of(3L, 1L, 2L, 4L, 5L, 1L, 7L, 17L, 0L);

  /** Operation with its inputs, or a leaf without inputs. */
  static final class Node {
    final String text;
    final List<Node> inputs;
    final Function<List<Expr<F32>>, Expr<F32>> ours;
    final Nd value;
    final double bound;

    private Node(
        String text,
        List<Node> inputs,
        Function<List<Expr<F32>>, Expr<F32>> ours,
        Nd value,
        double bound) {
      this.text = text;
      this.inputs = inputs;
      this.ours = ours;
      this.value = value;
      this.bound = bound;
    }

    int rank() {
      return value.rank();
    }

    long extent(int d) {
      return value.shape[d];
    }
  }

  final List<Node> nodes = new ArrayList<>();
  final List<Node> leaves = new ArrayList<>();
  private final Map<Node, Tensor<F32>> tensors = new IdentityHashMap<>();
  private final Context ctx;
  private final Iterator<Integer> rest;

  RandomGraph(Context ctx, List<Integer> numbers) {
    this.ctx = ctx;
    this.rest = numbers.iterator();
    leaf(shape());
    while (rest.hasNext()) {
      add();
    }
  }

  Node root() {
    return nodes.getLast();
  }

  Tensor<F32> tensor(Node leaf) {
    return tensors.get(leaf);
  }

  /** Builds one expression of the whole graph. */
  Expr<F32> fused() {
    var done = new IdentityHashMap<Node, Expr<F32>>();
    return build(root(), done, e -> e);
  }

  /** Builds the graph with each operation evaluated by itself. */
  Expr<F32> stepByStep() {
    var done = new IdentityHashMap<Node, Expr<F32>>();
    return build(root(), done, ctx::eval);
  }

  private Expr<F32> build(
      Node node, Map<Node, Expr<F32>> done, Function<Expr<F32>, Expr<F32>> after) {
    Expr<F32> made = done.get(node);
    if (made == null) {
      List<Expr<F32>> inputs = node.inputs.stream().map(in -> build(in, done, after)).toList();
      made = node.inputs.isEmpty() ? tensors.get(node) : after.apply(node.ours.apply(inputs));
      done.put(node, made);
    }
    return made;
  }

  /** Prints one line per operation that the root needs. */
  @Override
  public String toString() {
    var needed = new ArrayList<Node>();
    collect(root(), needed);
    return needed.stream()
        .map(n ->
            "%"
                + nodes.indexOf(n)
                + " = "
                + n.text
                + n.inputs.stream()
                    .map(in -> " %" + nodes.indexOf(in))
                    .collect(Collectors.joining())
                + " -> "
                + Arrays.toString(n.value.shape))
        .collect(Collectors.joining("\n"));
  }

  private static void collect(Node node, List<Node> into) {
    node.inputs.forEach(in -> collect(in, into));
    if (!into.contains(node)) {
      into.add(node);
    }
  }

  // ---- decisions ---------------------------------------------------------------------------

  private int next(int bound) {
    return rest.hasNext() ? Math.floorMod(rest.next(), bound) : 0;
  }

  private <E> E of(List<E> list) {
    return list.get(next(list.size()));
  }

  private long[] shape() {
    long[] shape = new long[of(List.of(2, 1, 3, 4, 0))];
    long size = 1;
    for (int d = 0; d < shape.length; d++) {
      shape[d] = of(EXTENTS);
      if (size * shape[d] > 200) {
        shape[d] = 1;
      }
      size *= Math.max(1, shape[d]);
    }
    return shape;
  }

  private Node leaf(long[] shape) {
    TensorLayout layout = of(List.of(TensorLayout.values()));
    var random = new Random(nodes.size());
    Nd value = layout.values(Nd.build(shape, _ -> random.nextInt(-8, 9)));
    var node = new Node(layout.name().toLowerCase(Locale.ROOT), List.of(), null, value, 8);
    tensors.put(node, layout.tensor(ctx, F32, value));
    nodes.add(node);
    leaves.add(node);
    return node;
  }

  private void push(
      String text,
      List<Node> inputs,
      Function<List<Expr<F32>>, Expr<F32>> ours,
      Nd value,
      double bound) {
    if (bound < LARGEST && value.data.length <= LARGEST_SIZE) {
      nodes.add(new Node(text, inputs, ours, value, bound));
    }
  }

  private Node pick() {
    return next(3) == 0 ? of(nodes) : nodes.getLast();
  }

  /** Returns a node that broadcasts with {@code a}: an earlier one, or a new leaf. */
  private Node partner(Node a) {
    var fitting = new ArrayList<Node>();
    for (Node b : nodes) {
      try {
        if (Nd.size(Nd.broadcast(a.value.shape, b.value.shape)) <= LARGEST_SIZE) {
          fitting.add(b);
        }
      } catch (AssertionError e) {
        // These shapes do not broadcast.
      }
    }
    if (!fitting.isEmpty() && next(3) != 0) {
      return of(fitting);
    }
    long[] shape = Arrays.copyOfRange(a.value.shape, next(a.rank() + 1), a.rank());
    for (int d = 0; d < shape.length; d++) {
      shape[d] = next(3) == 1 ? 1 : shape[d];
    }
    return leaf(shape);
  }

  // ---- operations --------------------------------------------------------------------------

  private void add() {
    Node a = pick();
    switch (next(20)) {
      case 0, 1 -> binary("plus", a, partner(a), (x, y) -> x.plus(y), Double::sum);
      case 2 -> binary("minus", a, partner(a), (x, y) -> x.minus(y), (x, y) -> x - y);
      case 3 -> times(a, partner(a));
      case 4 -> binary("min", a, partner(a), Ops::min, Math::min);
      case 5 -> select(a, partner(a));
      case 6 -> unary(a);
      case 7, 8 -> sum(a);
      case 9 -> extreme(a);
      case 10 -> permute(a);
      case 11 -> slice(a);
      case 12 -> flip(a);
      case 13 -> reshape(a);
      case 14 -> expand(a);
      case 15, 16 -> dot(a);
      case 17 -> concat(a);
      case 18 -> cumSum(a);
      default -> take(a);
    }
  }

  private interface Two {
    Expr<F32> apply(Expr<F32> a, Expr<F32> b);
  }

  private void binary(String name, Node a, Node b, Two ours, DoubleBinaryOperator oracle) {
    push(
        name,
        List.of(a, b),
        in -> ours.apply(in.get(0), in.get(1)),
        a.value.zip(b.value, oracle),
        a.bound + b.bound);
  }

  private void times(Node a, Node b) {
    push(
        "times",
        List.of(a, b),
        in -> in.get(0).times(in.get(1)),
        a.value.zip(b.value, (x, y) -> x * y),
        a.bound * b.bound);
  }

  private void select(Node a, Node b) {
    push(
        "where(a < b, a, b)",
        List.of(a, b),
        in -> Ops.where(in.get(0).lt(in.get(1)), in.get(0), in.get(1)),
        a.value.zip(b.value, (x, y) -> x < y ? x : y),
        Math.max(a.bound, b.bound));
  }

  private void unary(Node a) {
    switch (next(5)) {
      case 0 -> push("neg", List.of(a), in -> in.get(0).neg(), a.value.map(x -> -x), a.bound);
      case 1 -> push("abs", List.of(a), in -> Ops.abs(in.get(0)), a.value.map(Math::abs), a.bound);
      case 2 ->
          push("plus 3", List.of(a), in -> in.get(0).plus(3), a.value.map(x -> x + 3), a.bound + 3);
      case 3 ->
          push(
              "relu",
              List.of(a),
              in -> Ops.relu(in.get(0)),
              a.value.map(x -> Math.max(x, 0)),
              a.bound);
      default ->
          push(
              "map(v > 2 ? v - 2 : -v)",
              List.of(a),
              in -> Ops.map(in.get(0), v -> v > 2 ? v - 2 : -v),
              a.value.map(v -> v > 2 ? v - 2 : -v),
              a.bound);
    }
  }

  private int[] axes(Node a) {
    var axes = new ArrayList<Integer>();
    for (int d = 0; d < a.rank(); d++) {
      if (next(2) == 0) {
        axes.add(d);
      }
    }
    return axes.stream().mapToInt(d -> d).toArray();
  }

  private void sum(Node a) {
    int[] axes = axes(a);
    Nd value = a.value.sum(axes);
    double bound = a.bound * Math.max(1, a.value.data.length / Math.max(1, value.data.length));
    if (next(2) == 0) {
      push(
          "sum " + Arrays.toString(axes), List.of(a), in -> Ops.sum(in.get(0), axes), value, bound);
    } else {
      push(
          "sum keeping " + Arrays.toString(axes),
          List.of(a),
          in -> Ops.sum(in.get(0), axes).keepDims(),
          value.reshape(a.value.kept(axes)),
          bound);
    }
  }

  private void extreme(Node a) {
    if (a.rank() == 0 || a.value.data.length == 0) {
      return;
    }
    int axis = next(a.rank());
    push("max " + axis, List.of(a), in -> Ops.max(in.get(0), axis), a.value.max(axis), a.bound);
  }

  private void permute(Node a) {
    var axes = new ArrayList<Integer>();
    for (int d = 0; d < a.rank(); d++) {
      axes.add(next(axes.size() + 1), d);
    }
    int[] order = axes.stream().mapToInt(d -> d).toArray();
    push(
        "permute " + axes,
        List.of(a),
        in -> in.get(0).permute(order),
        a.value.permute(order),
        a.bound);
  }

  private void slice(Node a) {
    if (a.rank() == 0) {
      return;
    }
    int axis = next(a.rank());
    long n = a.extent(axis);
    Slice[] slices = new Slice[axis + 1];
    Arrays.fill(slices, Ops.all());
    if (n > 0 && next(4) == 0) {
      long at = next((int) n);
      slices[axis] = Ops.at(at);
      long[] dropped = Nd.without(a.value.shape, axis);
      push(
          "slice axis " + axis + " at " + at,
          List.of(a),
          in -> in.get(0).slice(slices),
          a.value.slice(axis, at, 1, 1).reshape(dropped),
          a.bound);
      return;
    }
    long step = of(List.of(1L, 2L, -1L, 3L, -2L));
    long start = next((int) n + 1);
    long stop = next((int) n + 1);
    long count = 0;
    for (long k = start; step > 0 ? k < stop : k > stop; k += step) {
      count += k < n ? 1 : 0;
    }
    long first = step < 0 && start >= n ? n - 1 : start;
    if (step < 0 && start >= n) {
      count = first > stop ? (first - stop + -step - 1) / -step : 0;
    }
    slices[axis] = Ops.range(start, stop, step);
    push(
        "slice axis " + axis + " range " + start + ":" + stop + ":" + step,
        List.of(a),
        in -> in.get(0).slice(slices),
        a.value.slice(axis, first, step, count),
        a.bound);
  }

  private void flip(Node a) {
    if (a.rank() > 0) {
      int axis = next(a.rank());
      push("flip " + axis, List.of(a), in -> in.get(0).flip(axis), a.value.flip(axis), a.bound);
    }
  }

  private void reshape(Node a) {
    long[] to = {a.value.data.length};
    if (a.rank() > 1 && next(2) == 0) {
      // Merges two adjacent dimensions.
      int d = next(a.rank() - 1);
      to = Nd.without(a.value.shape, d);
      to[d] = a.extent(d) * a.extent(d + 1);
    } else if (a.value.data.length % 2 == 0 && next(2) == 0) {
      to = new long[] {2, a.value.data.length / 2};
    } else if (next(3) == 0) {
      to = Nd.append(a.value.shape, 1);
    }
    long[] dims = to;
    push(
        "reshape " + Arrays.toString(dims),
        List.of(a),
        in -> in.get(0).reshape(dims),
        a.value.reshape(dims),
        a.bound);
  }

  private void expand(Node a) {
    long[] to = a.value.shape.clone();
    for (int d = 0; d < to.length; d++) {
      to[d] = to[d] == 1 ? 1 + next(4) : to[d];
    }
    if (next(2) == 0) {
      long[] more = new long[to.length + 1];
      more[0] = 1 + next(3);
      System.arraycopy(to, 0, more, 1, to.length);
      to = more;
    }
    long[] dims = to;
    if (Nd.size(dims) <= LARGEST_SIZE) {
      push(
          "expand " + Arrays.toString(dims),
          List.of(a),
          in -> in.get(0).expand(dims),
          a.value.expand(dims),
          a.bound);
    }
  }

  private void dot(Node a) {
    if (a.rank() == 0) {
      return;
    }
    long k = a.extent(a.rank() - 1);
    var fitting = new ArrayList<Node>();
    for (Node b : nodes) {
      int rows = Math.max(0, b.rank() - 2);
      if (b.rank() > 0 && b.extent(rows) == k && b.rank() <= 2) {
        fitting.add(b);
      }
    }
    Node b = fitting.isEmpty() || next(2) == 0 ? leaf(new long[] {k, 1 + next(6)}) : of(fitting);
    push(
        "dot",
        List.of(a, b),
        in -> Ops.dot(in.get(0), in.get(1)),
        Nd.dot(a.value, b.value),
        a.bound * b.bound * Math.max(1, k));
  }

  private void concat(Node a) {
    if (a.rank() == 0) {
      return;
    }
    int axis = next(a.rank());
    long[] shape = a.value.shape.clone();
    shape[axis] = next(4);
    Node b = next(3) == 0 ? a : leaf(shape);
    push(
        "concat " + axis,
        List.of(a, b),
        in -> Ops.concat(axis, in.get(0), in.get(1)),
        Nd.concat(axis, a.value, b.value),
        Math.max(a.bound, b.bound));
  }

  private void cumSum(Node a) {
    if (a.rank() == 0) {
      return;
    }
    int axis = next(a.rank());
    Nd value =
        a.value.rows(
            row -> {
              double[] sums = row.clone();
              for (int k = 1; k < sums.length; k++) {
                sums[k] += sums[k - 1];
              }
              return sums;
            },
            axis);
    push(
        "cumSum " + axis,
        List.of(a),
        in -> Ops.cumSum(in.get(0), axis),
        value,
        a.bound * Math.max(1, a.extent(axis)));
  }

  private void take(Node a) {
    if (a.rank() == 0 || a.value.data.length == 0) {
      return;
    }
    int axis = next(a.rank());
    int n = (int) a.extent(axis);
    int[] indices = new int[1 + next(5)];
    for (int k = 0; k < indices.length; k++) {
      indices[k] = next(2 * n) - n;
    }
    long[] to = a.value.shape.clone();
    to[axis] = indices.length;
    Tensor<I32> positions = ctx.tensor(indices);
    push(
        "take " + Arrays.toString(indices) + " axis " + axis,
        List.of(a),
        in -> Ops.take(in.get(0), positions, axis),
        Nd.build(
            to,
            i -> {
              long[] from = i.clone();
              from[axis] = Math.floorMod(indices[(int) i[axis]], n);
              return a.value.at(from);
            }),
        a.bound);
  }
}
