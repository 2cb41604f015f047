package ristretto.expr;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import ristretto.expr.dim.UnknownDims;
import ristretto.expr.formula.Reads;
import ristretto.expr.formula.Scalar;
import ristretto.expr.formula.SlotReads;
import ristretto.expr.graph.Barrier;
import ristretto.expr.graph.Barrier.ConcatCopies;
import ristretto.expr.graph.Barrier.Convolve;
import ristretto.expr.graph.Barrier.CustomBarrier;
import ristretto.expr.graph.Barrier.Dot;
import ristretto.expr.graph.Barrier.FoldWindows;
import ristretto.expr.graph.Barrier.Fourier;
import ristretto.expr.graph.Barrier.IntegerDot;
import ristretto.expr.graph.Barrier.Reduce;
import ristretto.expr.graph.Barrier.Scan;
import ristretto.expr.graph.Barrier.Scatter;
import ristretto.expr.graph.Barrier.Sort;
import ristretto.expr.graph.Barrier.ViewScatter;
import ristretto.expr.graph.Concat;
import ristretto.expr.graph.Constant;
import ristretto.expr.graph.CustomFormula;
import ristretto.expr.graph.Forms;
import ristretto.expr.graph.Formula;
import ristretto.expr.graph.Formula.Copy;
import ristretto.expr.graph.Formula.CustomGradient;
import ristretto.expr.graph.Formula.DropAxes;
import ristretto.expr.graph.Formula.Index;
import ristretto.expr.graph.Formula.Sigmoid;
import ristretto.expr.graph.Formula.SigmoidSlope;
import ristretto.expr.graph.Formula.Softplus;
import ristretto.expr.graph.Formula.StopGradient;
import ristretto.expr.graph.Gather;
import ristretto.expr.graph.IntegerPower;
import ristretto.expr.graph.Lifted;
import ristretto.expr.graph.Operation;
import ristretto.expr.graph.Pad;
import ristretto.expr.graph.Pointwise;
import ristretto.expr.graph.PointwiseGradient;
import ristretto.expr.graph.RandomNumber;
import ristretto.expr.graph.Recurrence;
import ristretto.expr.graph.StorageView;
import ristretto.expr.index.ViewOp;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;
import ristretto.kernels.ShapeException;
import ristretto.kernels.ir.Kernel.Convolution.Made;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.Tape;

/**
 * Rewrites an expression for one element of a batch into an expression for all elements, with the
 * batch as the leading axis. Each operation has a rule; the number of kernels does not depend on
 * the size of the batch. Expressions that do not depend on the batch stay as they are and are
 * shared. Exceptions, which are computed element by element and concatenated: operators of users
 * that write memory or read other positions than their own, and random numbers whose seed differs
 * by element.
 */
final class Batching {
  private final long n;

  /** Rewritten expressions; an expression that does not depend on the batch maps to itself. */
  private final Map<Expr<?>, Expr<?>> done = new IdentityHashMap<>();

  private Batching(long n) {
    this.n = n;
  }

  /**
   * Argument of a function while the function is traced; has a dtype and a shape, but no values.
   */
  private static final class Argument<T> extends RExpr<T> {
    Argument(DType<T> dtype, Shape shape) {
      super(dtype, shape);
    }

    @Override
    protected Scalar read(Reads in) {
      throw new ShapeException(
          ("[vmap] the argument of f has no values while f is traced; got an evaluation of the"
                  + " argument %s; build expressions of the argument only, and evaluate the result"
                  + " of vmap.")
              .formatted(label()));
    }

    @Override
    public String toString() {
      return "argument " + label();
    }
  }

  /**
   * Applies a function to each element of the leading axis of its inputs.
   *
   * @param f traced once, with arguments without the leading axis
   * @return the results, with a leading axis
   */
  static <R> Expr<R> map(Function<List<Expr<?>>, ? extends Expr<R>> f, List<Expr<?>> inputs) {
    long n = inputs.get(0).shape().at(0);
    for (Expr<?> in : inputs) {
      if (!UnknownDims.canEqual(in.shape().at(0), n)) {
        throw new ShapeException(
            ("[vmap] mapped axes must have equal extents; got a %s, b %s with the mapped axis"
                    + " first; slice one of them, or use it inside of f without mapping it.")
                .formatted(inputs.get(0).label(), in.label()));
      }
      n = UnknownDims.equal(n, in.shape().at(0));
    }
    var batching = new Batching(n);
    var arguments = new ArrayList<Expr<?>>();
    for (Expr<?> in : inputs) {
      arguments.add(batching.argument(in));
    }
    Expr<R> result = f.apply(arguments);
    if (result == null) {
      throw new ShapeException("[vmap] f must return an expression; got null.");
    }
    return batching.whole(result);
  }

  private <T> Expr<T> argument(Expr<T> values) {
    long[] dims = values.shape().extents();
    var argument =
        new Argument<>(
            values.dtype(), Shape.of(java.util.Arrays.copyOfRange(dims, 1, dims.length)));
    done.put(argument, values);
    return argument;
  }

  // Traversal

  /** Rewrites all expressions that {@code root} is computed from, operands first. */
  private Expr<?> of(Expr<?> root) {
    var stack = new ArrayDeque<Expr<?>>();
    stack.push(root);
    while (!stack.isEmpty()) {
      Expr<?> e = stack.peek();
      int open = stack.size();
      if (!done.containsKey(e)) {
        for (Expr<?> in : below(e)) {
          if (!done.containsKey(in)) {
            stack.push(in);
          }
        }
        if (stack.size() > open) {
          continue;
        }
        done.put(e, below(e).stream().anyMatch(this::isBatched) ? rewrite(e) : e);
      }
      stack.pop();
    }
    return done.get(root);
  }

  /** Operands, and the expressions that a custom gradient has gradients for. */
  private static List<Expr<?>> below(Expr<?> e) {
    var custom = Gradients.custom(e);
    if (custom == null) {
      return e.inputs();
    }
    var all = new ArrayList<>(e.inputs());
    all.addAll(custom.dependsOn());
    return all;
  }

  private boolean isBatched(Expr<?> e) {
    return done.get(e) != e;
  }

  private boolean isBatched(Expr<?> e, int k) {
    return isBatched(e.inputs().get(k));
  }

  /** Rewritten expression with the batch axis, repeated if it does not depend on the batch. */
  @SuppressWarnings("unchecked")
  private <T> Expr<T> whole(Expr<T> e) {
    var x = (Expr<T>) of(e);
    return isBatched(e) ? x : x.unsqueeze(0).expand(lead(n, e.shape().longs()).toArray());
  }

  private Expr<?> whole(Expr<?> e, int k) {
    return whole(e.inputs().get(k));
  }

  private List<Expr<?>> wholes(Expr<?> e) {
    var all = new ArrayList<Expr<?>>();
    e.inputs().forEach(in -> all.add(whole(in)));
    return all;
  }

  /** Operand that broadcasts to the shape of the rewritten {@code e}. */
  private Expr<?> operand(Expr<?> e, int k) {
    return aligned(e.inputs().get(k), e.shape().rank());
  }

  /** Rewritten expression with axes of extent 1 behind the batch axis, up to a rank. */
  @SuppressWarnings("unchecked")
  private <T> Expr<T> aligned(Expr<T> e, int rank) {
    var x = (Expr<T>) of(e);
    if (!isBatched(e) || e.shape().rank() >= rank) {
      return x;
    }
    long[] dims = Longs.filled(rank + 1, 1).toArray();
    dims[0] = n;
    int own = e.shape().rank();
    System.arraycopy(e.shape().extents(), 0, dims, rank + 1 - own, own);
    return x.reshape(dims);
  }

  private List<Expr<?>> aligned(Expr<?> e) {
    var all = new ArrayList<Expr<?>>();
    e.inputs().forEach(in -> all.add(aligned(in, e.shape().rank())));
    return all;
  }

  private static Longs lead(long first, Longs rest) {
    long[] all = new long[rest.size() + 1];
    all[0] = first;
    for (int d = 0; d < rest.size(); d++) {
      all[d + 1] = rest.get(d);
    }
    return Longs.of(all);
  }

  private Shape lead(Shape shape) {
    return Shape.of(lead(n, shape.longs()).toArray());
  }

  private <T> Expr<T> made(Expr<T> e, Operation operation, List<? extends Expr<?>> operands) {
    return new Computed<>(operation, e.dtype(), lead(e.shape()), operands);
  }

  // Rules

  private <T> Expr<T> rewrite(Expr<T> e) {
    return switch (e.operation()) {
      case StorageView _ -> throw new AssertionError(e);
      case Formula f -> formula(e, f);
      case Barrier b -> barrier(e, b);
    };
  }

  private <T> Expr<T> formula(Expr<T> e, Formula f) {
    return switch (f) {
      case Pointwise _,
          Copy _,
          IntegerPower _,
          Sigmoid _,
          SigmoidSlope _,
          Softplus _,
          StopGradient _ ->
          made(e, f, aligned(e));
      case Constant _, Index _ -> throw new AssertionError(e);
      case CustomGradient _ -> custom(e);
      case ristretto.expr.graph.View v -> view(e, v.op());
      case DropAxes _ -> made(e, f, wholes(e));
      case Pad p -> pad(e, p.op());
      case Concat c -> made(e, new Concat(c.axis() + 1), wholes(e));
      case Gather g -> gather(e, g);
      case Lifted l -> lifted(e, l);
      case PointwiseGradient p -> tape(e, p);
      case RandomNumber _ -> each(e);
      case CustomFormula own -> own((RExpr<T>) e, own);
    };
  }

  private <T> Expr<T> barrier(Expr<T> e, Barrier b) {
    return switch (b) {
      case ConcatCopies c -> made(e, new ConcatCopies(c.axis() + 1), wholes(e));
      case Convolve c -> convolve(e, c);
      case Dot _, IntegerDot _ -> dot(e);
      case FoldWindows f ->
          made(e, new FoldWindows((ViewOp.Windows) viewOp(f.windows())), wholes(e));
      case Fourier x -> {
        var batched = new Fourier(x.axis() + 1, x.pair() + 1, x.inverse(), x.periodic(), x.scale());
        yield made(e, batched, wholes(e));
      }
      case Recurrence r -> recurrence(e, r);
      case Reduce r -> {
        long[] axes = r.axes().toArray();
        for (int k = 0; k < axes.length; k++) {
          axes[k]++;
        }
        var reduce = new Reduce(r.kind(), Longs.of(axes), r.combine(), r.identity());
        yield made(e, reduce, wholes(e));
      }
      case Scan s -> made(e, new Scan(s.op(), s.axis() + 1, s.reverse(), s.exclusive()), wholes(e));
      case Scatter s -> scatter(e, s);
      case Sort s -> {
        var sort = new Sort(s.axis() + 1, s.descending(), s.positions(), s.from());
        yield made(e, sort, wholes(e));
      }
      case ViewScatter v -> made(e, new ViewScatter(viewOp(v.view())), wholes(e));
      case CustomBarrier _ -> {
        Expr<T> own = ((LExpr<T>) e).batched(wholes(e));
        yield own == null ? each(e) : own;
      }
    };
  }

  /** The batch axis is the first lane axis: inputs and results have their steps before it. */
  private <T> Expr<T> recurrence(Expr<T> e, Recurrence r) {
    int at = r.states() == 1 ? 1 : 2;
    long[] all = e.shape().extents();
    long[] lanes = lead(n, Longs.of(Arrays.copyOfRange(all, at, all.length))).toArray();
    long[] dims = Arrays.copyOf(all, all.length + 1);
    System.arraycopy(lanes, 0, dims, at, lanes.length);
    var operands = new ArrayList<Expr<?>>();
    for (int k = 0; k < e.inputs().size(); k++) {
      Expr<?> state = aligned(e.inputs().get(k), lanes.length - 1);
      operands.add(k < r.states() ? state.expand(lanes) : whole(e, k).swapAxes(0, 1));
    }
    Expr<T> y = new Computed<>(r, e.dtype(), Shape.of(dims), operands);
    return at == 1 ? y.swapAxes(0, 1) : y.swapAxes(1, 2).swapAxes(0, 1);
  }

  private ViewOp viewOp(ViewOp op) {
    return switch (op) {
      case ViewOp.Expand x -> new ViewOp.Expand(lead(n, x.dims()));
      case ViewOp.Reshape x -> new ViewOp.Reshape(lead(n, x.dims()));
      case ViewOp.Permute x -> {
        long[] axes = lead(0, x.axes()).toArray();
        for (int d = 1; d < axes.length; d++) {
          axes[d]++;
        }
        yield new ViewOp.Permute(Longs.of(axes), lead(n, x.dims()));
      }
      case ViewOp.Step x ->
          new ViewOp.Step(lead(0, x.starts()), lead(1, x.steps()), lead(n, x.dims()));
      case ViewOp.Diagonal x -> new ViewOp.Diagonal(lead(n, x.square()));
      case ViewOp.Windows x ->
          new ViewOp.Windows(x.sizes(), x.strides(), x.dilations(), lead(n, x.dims()));
      case ViewOp.Pad x -> new ViewOp.Pad(lead(0, x.before()), lead(n, x.dims()));
    };
  }

  @SuppressWarnings("unchecked")
  private <T> Expr<T> view(Expr<T> e, ViewOp op) {
    var x = (Expr<T>) (op instanceof ViewOp.Expand ? operand(e, 0) : whole(e, 0));
    return x.view(viewOp(op));
  }

  /** A fill that differs by element is selected, since a pad has one fill. */
  @SuppressWarnings("unchecked")
  private <T> Expr<T> pad(Expr<T> e, ViewOp.Pad op) {
    var padded = new Pad((ViewOp.Pad) viewOp(op));
    if (!isBatched(e, 1)) {
      return made(e, padded, List.of(whole(e, 0), e.inputs().get(1)));
    }
    var fill = (Expr<T>) operand(e, 1);
    long[] before = op.before().toArray();
    Expr<BOOL> outside = Scalars.filled(BOOL.INSTANCE, e.inputs().get(0).shape(), 0);
    outside =
        new Computed<>(
            new Pad(op),
            BOOL.INSTANCE,
            e.shape(),
            outside,
            Scalars.filled(BOOL.INSTANCE, Shape.SCALAR, 1));
    Expr<T> inside =
        ArrayManipulation.padZeros(
            (Expr<T>) whole(e, 0), lead(0, Longs.of(before)).toArray(), lead(e.shape()));
    return Apply.select(outside, fill, inside);
  }

  /** A lambda that takes the number of the element gets that number as an operand. */
  private <T> Expr<T> lifted(Expr<T> e, Lifted l) {
    List<Expr<?>> operands = aligned(e);
    if (l.indexed()) {
      operands.add(ArrayManipulation.index(e.shape(), -1));
    }
    return made(e, new Lifted(l.lambda(), l.code(), false), operands);
  }

  /**
   * Positions that a formula reads become operands, since those of the result have one more axis.
   */
  private <T> Expr<T> tape(Expr<T> e, PointwiseGradient formula) {
    List<Expr<?>> operands = aligned(e);
    List<SlotReads.More> more = formula.code().more();
    var numbers = new ArrayList<SlotReads.More>();
    int[] slots = new int[operands.size() + more.size()];
    int own = operands.size();
    for (int k = 0; k < own; k++) {
      slots[k] = k;
    }
    for (int k = 0; k < more.size(); k++) {
      slots[own + k] = operands.size();
      switch (more.get(k)) {
        case SlotReads.More.Number _ -> {}
        case SlotReads.More.Coordinate c ->
            operands.add(ArrayManipulation.index(e.shape(), c.axis()));
        case SlotReads.More.ElementNumber _ -> operands.add(ArrayManipulation.index(e.shape(), -1));
      }
    }
    for (int k = 0; k < more.size(); k++) {
      if (more.get(k) instanceof SlotReads.More.Number) {
        slots[own + k] = operands.size() + numbers.size();
        numbers.add(more.get(k));
      }
    }
    Tape tape = formula.code().tape();
    List<Node> nodes =
        tape.nodes().stream()
            .map(node ->
                node instanceof Node.Input in ? new Node.Input(in.type(), slots[in.slot()]) : node)
            .toList();
    var code = new PointwiseGradient.Code(new Tape(nodes, tape.outputs()), numbers);
    return made(e, new PointwiseGradient(formula.of(), code), operands);
  }

  /** Element-wise operator of a user; its own gradients are kept. */
  private <T> Expr<T> own(RExpr<T> e, Formula formula) {
    var reads = Forms.slots(e);
    Tape tape;
    try {
      tape = reads.tape().build(formula.read(e, reads).row());
    } catch (SlotReads.NotPointwise x) {
      return each(e);
    }
    var code = new PointwiseGradient.Code(tape, reads.more());
    Expr<T> values = tape(e, new PointwiseGradient(FormulaGradient.bare(e), code));
    return Gradients.custom(
        values,
        () -> e.inputs().stream().map(done::get).toList(),
        (dy, _) -> gradients(e, e.inputs(), e::gradients, dy));
  }

  @SuppressWarnings("unchecked")
  private <T> Expr<T> custom(Expr<T> e) {
    var custom = Gradients.custom(e);
    return Gradients.custom(
        (Expr<T>) whole(e, 0),
        () -> custom.dependsOn().stream().map(done::get).toList(),
        (dy, wanted) ->
            gradients(e, custom.dependsOn(), d -> custom.rule.gradients(d, wanted), dy));
  }

  /** Gradients of all elements, from the rule for one. */
  private <T> List<Expr<?>> gradients(
      Expr<T> e,
      List<? extends Expr<?>> inputs,
      Function<Expr<T>, List<? extends Expr<?>>> rule,
      Expr<T> dy) {
    var one = new Argument<>(e.dtype(), e.shape());
    done.put(one, dy);
    var all = new ArrayList<Expr<?>>();
    for (Expr<?> part : rule.apply(one)) {
      Shape to = inputs.get(all.size()).shape();
      all.add(part == null ? null : whole(Gradients.sumTo(part, to)));
    }
    return all;
  }

  // Gathers and scatters

  private <T> Expr<T> gather(Expr<T> e, Gather g) {
    int axis = g.axis();
    if (g.along() || !isBatched(e, 1)) {
      Expr<?> index = g.along() ? whole(e, 1) : e.inputs().get(1);
      return made(e, new Gather(axis + 1, g.along()), List.of(whole(e, 0), index));
    }
    Shape index = e.inputs().get(1).shape();
    if (!isBatched(e, 0)) {
      // Positions of all elements replace the axis; the batch axis of the result moves to the
      // front.
      Shape source = e.inputs().get(0).shape();
      Shape dims = replaced(source, axis, lead(index));
      int[] order = new int[dims.rank()];
      for (int d = 0; d < order.length; d++) {
        order[d] = d == 0 ? axis : d <= axis ? d - 1 : d;
      }
      Expr<?> positions = of(e.inputs().get(1));
      return new Computed<T>(new Gather(axis, false), e.dtype(), dims, e.inputs().get(0), positions)
          .permute(order);
    }
    Shape flat = replaced(e.inputs().get(0).shape(), axis, Shape.of(index.elements()));
    Expr<?> positions = alongAxis(whole(e, 1), lead(flat), axis + 1);
    Expr<T> found =
        new Computed<>(new Gather(axis + 1, true), e.dtype(), lead(flat), whole(e, 0), positions);
    return found.reshape(lead(e.shape()).extents());
  }

  private <T> Expr<T> scatter(Expr<T> e, Scatter s) {
    int axis = s.axis();
    if (s.along() || !isBatched(e, 0)) {
      Expr<?> index = s.along() ? whole(e, 0) : e.inputs().get(0);
      return made(e, new Scatter(axis + 1, s.along(), s.op()), List.of(index, whole(e, 1)));
    }
    Shape index = e.inputs().get(0).shape();
    Shape flat = lead(replaced(e.shape(), axis, Shape.of(index.elements())));
    return made(
        e,
        new Scatter(axis + 1, true, s.op()),
        List.of(alongAxis(whole(e, 0), flat, axis + 1), whole(e, 1).reshape(flat.extents())));
  }

  /** Positions {@code [n, ...]} repeated along all axes of a shape but the first and one other. */
  private Expr<?> alongAxis(Expr<?> positions, Shape shape, int axis) {
    long[] dims = Longs.filled(shape.rank(), 1).toArray();
    dims[0] = n;
    dims[axis] = shape.at(axis);
    return positions.reshape(dims).expand(shape.extents());
  }

  private static Shape replaced(Shape shape, int axis, Shape by) {
    return GatherScatter.replaced(shape, axis, by);
  }

  // Products

  /** Batched product; one tall product if only one of the operands depends on the batch. */
  @SuppressWarnings("unchecked")
  private <T> Expr<T> dot(Expr<T> e) {
    var a = (Expr<T>) e.inputs().get(0);
    var b = (Expr<T>) e.inputs().get(1);
    int rank = e.shape().rank();
    if (!isBatched(a) && rank == 2) {
      Expr<T> rows = ((Expr<T>) of(b)).permute(0, 2, 1);
      return MatrixProduct.dot(rows, a.t()).permute(0, 2, 1);
    }
    return MatrixProduct.dot(aligned(a, rank), aligned(b, rank));
  }

  /**
   * Images of the batch become images of one convolution. Filters that differ by element need the
   * product with windows.
   */
  @SuppressWarnings("unchecked")
  private <T> Expr<T> convolve(Expr<T> e, Convolve c) {
    Convolve.Key key = c.key();
    int filters = key.made() == Made.RESULTS ? 1 : 0;
    if (key.made() == Made.FILTERS || isBatched(e, filters)) {
      return whole((Expr<T>) c.product().apply(e));
    }
    var all =
        new Convolve.Key(
            key.made(), key.windows(), many(key.images()), key.filters(), many(key.results()));
    int images = 1 - filters;
    Expr<?> merged =
        whole(e, images).reshape(many(e.inputs().get(images).shape().longs()).toArray());
    Expr<?> same = e.inputs().get(filters);
    Expr<T> result =
        new Computed<>(
            new Convolve(all, c.product()),
            e.dtype(),
            Shape.of(many(e.shape().longs()).toArray()),
            filters == 1 ? List.of(merged, same) : List.of(same, merged));
    return result.reshape(lead(e.shape()).extents());
  }

  /** Extents with n times as many images. */
  private Longs many(Longs dims) {
    long[] all = dims.toArray();
    all[0] = UnknownDims.times(all[0], n);
    return Longs.of(all);
  }

  // Element by element

  /** Applies the operation to each element and concatenates the results. */
  @SuppressWarnings("unchecked")
  private <T> Expr<T> each(Expr<T> e) {
    if (!UnknownDims.isKnown(n)) {
      throw new ShapeException(
          ("[vmap] an operation that runs once per element needs a known extent of the mapped axis;"
                  + " got %s; give the mapped axis a number.")
              .formatted(e.name()));
    }
    if (n == 0) {
      return Scalars.filled(e.dtype(), lead(e.shape()), 0);
    }
    var parts = new ArrayList<Expr<T>>();
    for (long k = 0; k < n; k++) {
      var operands = new ArrayList<Expr<?>>();
      for (Expr<?> in : e.inputs()) {
        operands.add(isBatched(in) ? done.get(in).slice(Slice.at(k)) : in);
      }
      parts.add((Expr<T>) e.withOperands(operands));
    }
    return ArrayManipulation.stack(0, parts);
  }
}
