package ristretto.expr;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import ristretto.kernels.ShapeException;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.KernelNames;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Op;

/**
 * Brings the values of expressions into memory, in two passes. <b>Prepare</b> goes down the
 * expressions: it finds the barriers, how they are read, and what each demands (memory, unit
 * stride). <b>Execute</b> goes up: barriers write temporaries, or the target itself where the rest
 * can be done in place; what remains becomes one map or row kernel.
 *
 * <p>Operators of users meet it in {@link LExpr#prepare} and {@link LExpr#execute}.
 */
public final class Assignment {
  /** Fewer and longer rows than this are reduced by all threads before the element-wise rest. */
  private static final long FEW_ROWS = 16;

  private static final long LONG_ROW = 1 << 16;

  private record Target(Tensor<?> to, Expr<?> expr) {}

  private final PlanBuilder plan;
  private final List<Target> targets;
  private Draft draft;

  private final List<Expr<?>> demandedMemory = new ArrayList<>();
  private final List<Expr<?>> demandedContiguous = new ArrayList<>();

  Assignment(PlanBuilder plan, Tensor<?> to, Expr<?> expr) {
    this(plan, List.of(Pair.untyped(to, expr)));
  }

  /** Several targets of one shape; every expression sees the old values. */
  Assignment(PlanBuilder plan, List<Pair<?>> pairs) {
    this.plan = plan;
    this.targets =
        pairs.size() == 1
            ? List.of(root(new Target(pairs.get(0).target(), pairs.get(0).expr())))
            : pairs.stream().map(p -> new Target(p.target(), p.expr())).toList();
  }

  void run() {
    for (Target t : targets) {
      plan.enter(t.expr);
    }
    prepare();
    execute();
    for (Target t : targets) {
      plan.leave(t.expr);
    }
  }

  // Prepare

  private List<Draft.Barrier> barriers() {
    return draft == null ? List.of() : draft.barriers();
  }

  private void prepare() {
    if (targets.size() == 1
        && targets.get(0).expr instanceof LExpr<?> l
        && !(l instanceof Reduce)) {
      return;
    }
    draft = new Draft(plan, null, roots(null));
  }

  /** The expressions as a kernel reads them, to whose space {@code base} leads. */
  private List<Draft.Root> roots(ViewChain base) {
    return targets.stream().map(t -> Draft.Root.of(t.expr, t.to.shape(), base)).toList();
  }

  /** Looks through reshapes at the root: they are views of the target instead. */
  private static Target root(Target t) {
    Tensor<?> to = t.to;
    Expr<?> expr = t.expr;
    while (expr.shape().equals(to.shape()) && isReshapeOrSame(expr)) {
      Expr<?> below = expr.inputs().get(0);
      IndexMap map = new ViewOp.Reshape(below.shape().longs()).apply(to.layout().map());
      if (map == null) {
        break;
      }
      to = to.with(map);
      expr = below;
    }
    return new Target(to, expr);
  }

  /** The barrier that is assigned, perhaps in another shape; null if it is none. */
  static LExpr<?> assignedBarrier(Expr<?> expr) {
    Expr<?> e = expr;
    while (isReshapeOrSame(e)) {
      e = e.inputs().get(0);
    }
    return e instanceof LExpr<?> barrier ? barrier : null;
  }

  /**
   * Returns the barrier whose value the target holds after {@code expr} was assigned to it, or
   * null.
   */
  static Tensor<?> held(Tensor<?> to, Expr<?> expr, LExpr<?> barrier) {
    Target root = root(new Target(to, expr));
    return root.expr == barrier && root.to.shape().equals(barrier.shape()) ? root.to : null;
  }

  /** True if an expression has the elements of its input, in order. */
  private static boolean isReshapeOrSame(Expr<?> e) {
    return e instanceof Reduced<?>
        || e instanceof CustomGradient<?>
        || e instanceof View<?> v && v.op() instanceof ViewOp.Reshape
        || e instanceof Tensor<?> t && t.isCopy();
  }

  /** For {@link LExpr#prepare}: the input must be in memory; {@link #memory} then gives it. */
  public void requireMemory(Expr<?> input) {
    demandedMemory.add(input);
  }

  /** For {@link LExpr#prepare}: the input must be in memory in row-major order. */
  public void requireContiguous(Expr<?> input) {
    demandedMemory.add(input);
    demandedContiguous.add(input);
  }

  /**
   * For {@link LExpr#prepare} of operators that write their target in several steps: the input is
   * computed before, if an index out of range may be found only while it is computed.
   */
  void requireChecked(Expr<?> input) {
    if (plan.mayBeRefusedLate(input)) {
      requireMemory(input);
    }
  }

  // Execute

  private void execute() {
    if (targets.get(0).to.shape().size() == 0) {
      return;
    }
    if (targets.size() == 1) {
      Target root = targets.get(0);
      if (root.expr instanceof LExpr<?> l
          && !(l instanceof Reduce)
          && plan.inMemory(l) == null
          && root.to.shape().equals(l.shape())) {
        barrier(l, root.to);
        return;
      }
      if (product(root)) {
        return;
      }
    }
    if (rows() || targets.size() == 1 && inTarget(targets.get(0))) {
      return;
    }
    map();
  }

  /**
   * A barrier writes straight into the target, or through a temporary where the target overlaps
   * what it reads.
   */
  private void barrier(LExpr<?> l, Tensor<?> to) {
    if (plan.isNeeded(l)) {
      copy(plan.materialize(l, Reason.SHARED), to);
      return;
    }
    if (readsMemoryOf(l, to)) {
      Tensor<?> temp = plan.materialize(l, Reason.ALIAS);
      copy(temp, to);
      plan.forget(l);
      return;
    }
    var inner = new Assignment(plan, to, l);
    l.prepare(inner);
    for (Expr<?> input : inner.demandedMemory) {
      plan.memory(input, Reason.DEMANDED);
    }
    inner.demandedContiguous.forEach(inner::contiguous);
    executeBarrier(l, inner, to);
  }

  @SuppressWarnings("unchecked")
  private static <T> void executeBarrier(LExpr<T> l, Assignment inner, Tensor<?> to) {
    l.execute(inner, (Tensor<T>) to);
  }

  private void copy(Tensor<?> from, Tensor<?> to) {
    new Assignment(plan, to, from).map();
  }

  /** A product with a number that the library applies. */
  private record Scaled(Dot<?> dot, double literal, Scalars<?> scale) {}

  private Scaled scaled(Expr<?> e) {
    if (e instanceof Dot<?> dot) {
      return new Scaled(dot, 1, null);
    }
    if (!(e instanceof Apply<?> product) || product.op() != Op.MUL) {
      return null;
    }
    Expr<?> first = product.inputs().get(0);
    Expr<?> second = product.inputs().get(1);
    if (second instanceof Dot) {
      Expr<?> swap = first;
      first = second;
      second = swap;
    }
    if (!(first instanceof Dot<?> dot)
        || !(second instanceof Scalars<?> s)
        || s.shape().rank() > dot.shape().rank()) {
      return null;
    }
    if (s.isLiteral()) {
      return new Scaled(dot, s.value(), null);
    }
    return plan.isLaunchScalar(s) ? new Scaled(dot, 1, s) : null;
  }

  /** {@code c = c + dot(a, b) * s} and {@code c = dot(a, b) * s}: the library scales and adds. */
  private boolean product(Target t) {
    Expr<?> first = null;
    Scaled scaled = scaled(t.expr);
    double sign = 1;
    if (t.expr instanceof Apply<?> sum && (sum.op() == Op.ADD || sum.op() == Op.SUB)) {
      first = sum.inputs().get(0);
      scaled = scaled(sum.inputs().get(1));
      sign = sum.op() == Op.ADD ? 1 : -1;
      if (scaled == null && sum.op() == Op.ADD) {
        first = sum.inputs().get(1);
        scaled = scaled(sum.inputs().get(0));
      }
    }
    if (scaled == null
        || plan.inMemory(scaled.dot) != null
        || plan.isNeeded(scaled.dot)
        || !scaled.dot.shape().equals(t.to.shape())
        || first != null && !isTarget(first, t.to)
        || readsMemoryOf(scaled.dot, t.to)
        || !Dot.canWrite(t.to)) {
      return false;
    }
    scaled.dot.multiply(this, t.to, sign * scaled.literal, scaled.scale, first == null ? 0 : 1);
    return true;
  }

  private boolean isTarget(Expr<?> e, Tensor<?> to) {
    Tensor<?> t = plan.asTensor(e);
    return t != null
        && t.dtype() == (Object) to.dtype()
        && t.storage() == to.storage()
        && t.layout().map().sameElements(to.layout().map());
  }

  /** True if evaluating {@code e} reads memory that {@code to} covers. */
  private boolean readsMemoryOf(Expr<?> e, Tensor<?> to) {
    var seen =
        java.util.Collections.newSetFromMap(new java.util.IdentityHashMap<Expr<?>, Boolean>());
    var open = new java.util.ArrayDeque<Expr<?>>();
    open.add(e);
    while (!open.isEmpty()) {
      Expr<?> next = open.poll();
      if (!seen.add(next)) {
        continue;
      }
      plan.visited(1);
      Tensor<?> memory = plan.inMemory(next);
      if (memory == null && next instanceof Tensor<?> t && !t.isCopy()) {
        Expr<?> substitute = plan.substitute(t);
        if (substitute != null) {
          open.add(substitute);
          continue;
        }
        memory = t;
      }
      if (memory == null) {
        open.addAll(next.inputs());
      } else if (memory.storage() == to.storage()
          && memory.layout().map().mayOverlap(to.layout().map())) {
        return true;
      }
    }
    return false;
  }

  // Row kernels

  private boolean rows() {
    RowSpace.Fit.PerElement perElement = null;
    RowSpace.Fit.PerRow perRow = null;
    Shape shape = targets.get(0).to.shape();
    for (Draft.Barrier b : barriers()) {
      if (b.expr() instanceof Reduce<?> r && plan.inMemory(r) == null) {
        switch (RowSpace.fit(r, b.chain(), shape)) {
          case RowSpace.Fit.PerElement fit -> perElement = perElement == null ? fit : perElement;
          case RowSpace.Fit.PerRow fit -> perRow = perRow == null ? fit : perRow;
          case RowSpace.Fit.None _ -> {}
        }
      }
    }
    if (perElement != null) {
      RowSpace space = perElement.space();
      if (space.rowCount() >= FEW_ROWS || space.rowLength() <= LONG_ROW) {
        return rows(space, perElement.order());
      }
      plan.note(
          "reductions over "
              + space.rowLength()
              + " elements are kernels of their own: "
              + Reason.LONG_ROW);
      return false;
    }
    return perRow != null && rows(perRow.space(), null);
  }

  /**
   * @param order from the targets' axes to the space; null if there is one element a row
   */
  private boolean rows(RowSpace space, ViewOp.Permute order) {
    ViewChain base = order == null ? space.fromRowShape() : new ViewChain(order, null);
    List<Draft.Root> roots = roots(base);
    if (new Draft(plan, space, roots).settle() == null) {
      return false;
    }
    var lowering = new Lowering(plan, space);
    int[] outputs = roots.stream().mapToInt(lowering::read).toArray();
    List<IndexMap> maps = new ArrayList<>();
    for (Target t : targets) {
      IndexMap map = ViewChain.apply(base, t.to.layout().map());
      maps.add(map);
      // Results of a row are stored after all its elements were read.
      if (lowering.conflict(plan.number(t.to.storage()), map, order != null) != null) {
        throughTemporaries();
        return true;
      }
    }
    List<Reduce<?>> needed = lowering.results().keySet().stream().filter(plan::isNeeded).toList();
    IntStream more = needed.stream().mapToInt(lowering.results()::get);
    Lowering.Parts parts = lowering.finish(IntStream.concat(IntStream.of(outputs), more).toArray());
    if (parts.reductions().isEmpty()) {
      return false;
    }
    var stores = new ArrayList<Kernel.Store>();
    for (int k = 0; k < targets.size(); k++) {
      stores.add(
          new Kernel.Store(
              parts.reductions().size() + k,
              memory(targets.get(k).to, maps.get(k)),
              order == null));
    }
    for (Reduce<?> r : needed) {
      Tensor<?> temp = plan.reserve(r, Reason.SHARED);
      var target = memory(temp, space.rowNumber());
      stores.add(new Kernel.Store(parts.reductions().size() + stores.size(), target, true));
    }
    String name =
        KernelNames.of(
            order == null ? "reduce" : "row",
            parts.tape(),
            targets.get(0).to.dtype().scalar(),
            order == null ? "perRow" : "rows",
            parts.reductions().hashCode());
    plan.add(
        new Kernel.Row(
            name,
            space.extents(),
            space.keptRank(),
            parts.tape(),
            parts.inputs(),
            parts.reductions(),
            stores),
        describe());
    return true;
  }

  // Map kernels

  /** A barrier of the target's own shape writes the target, and the rest is done there in place. */
  private boolean inTarget(Target t) {
    for (Draft.Barrier b : barriers()) {
      LExpr<?> l = b.expr();
      if (b.chain() == null
          && plan.inMemory(l) == null
          && !plan.isNeeded(l)
          && l.shape().equals(t.to.shape())
          && l.dtype() == (Object) t.to.dtype()
          && Dot.canWrite(t.to)
          && !readsMemoryOf(t.expr, t.to)
          && !plan.mayBeRefusedLate(t.expr)) {
        new Assignment(plan, t.to, l).run();
        plan.putMemory(l, t.to);
        map();
        plan.forget(l);
        return true;
      }
    }
    return false;
  }

  private void map() {
    List<Draft.Root> roots = roots(null);
    (draft == null || !draft.isCurrent() ? new Draft(plan, null, roots) : draft).settle();
    var lowering = new Lowering(plan, null);
    int[] outputs = roots.stream().mapToInt(lowering::read).toArray();
    for (Target t : targets) {
      if (lowering.conflict(plan.number(t.to.storage()), t.to.layout().map(), false) != null) {
        throughTemporaries();
        return;
      }
    }
    emitMap(
        plan,
        lowering.finish(outputs),
        targets.stream().<Tensor<?>>map(Target::to).toList(),
        describe());
  }

  static void emitMap(PlanBuilder plan, Lowering.Parts parts, List<Tensor<?>> tos, String what) {
    var stores = new ArrayList<Operand.Memory>();
    String layout = "flat";
    for (Tensor<?> to : tos) {
      stores.add(
          new Operand.Memory(
              to.dtype().scalar(),
              plan.number(to.storage()),
              to.layout().map().affine(),
              Optional.empty(),
              List.of()));
      layout = to.layout().isContiguous() ? layout : "strided";
    }
    String name =
        KernelNames.of("map", parts.tape(), tos.get(0).dtype().scalar(), layout, stores.size());
    plan.add(
        new Kernel.Map(name, tos.get(0).shape().longs(), parts.tape(), parts.inputs(), stores),
        what);
  }

  /** The target is read at other places than it is written: compute elsewhere, then copy. */
  private void throughTemporaries() {
    List<Tensor<?>> temps = new ArrayList<>();
    List<Pair<?>> pairs = new ArrayList<>();
    for (Target t : targets) {
      Tensor<?> temp = plan.temporary(t.to.dtype(), t.to.shape());
      temps.add(temp);
      pairs.add(Pair.untyped(temp, t.expr));
      plan.note(
          plan.name(plan.number(temp.storage()))
              + " "
              + temp.label()
              + " holds the new value of "
              + plan.name(plan.number(t.to.storage()))
              + ": "
              + Reason.ALIAS);
    }
    var through = new Assignment(plan, pairs);
    through.prepare();
    through.execute();
    List<Pair<?>> copies = new ArrayList<>();
    for (int k = 0; k < temps.size(); k++) {
      copies.add(Pair.untyped(targets.get(k).to, temps.get(k)));
    }
    new Assignment(plan, copies).map();
  }

  Operand.Memory memory(Tensor<?> t, IndexMap map) {
    return new Operand.Memory(t.dtype().scalar(), plan.number(t.storage()), map.affine());
  }

  private String describe() {
    var text = new StringBuilder();
    for (Target t : targets) {
      text.append(text.isEmpty() ? "" : ", ")
          .append(plan.name(plan.number(t.to.storage())))
          .append(' ')
          .append(t.to.label())
          .append(" = ")
          .append(plan.describe(t.expr));
    }
    return text.toString();
  }

  // For operators

  PlanBuilder plan() {
    return plan;
  }

  /** The values of an expression in memory: the tensor itself, a view of one, or a temporary. */
  @SuppressWarnings("unchecked")
  public <T> Tensor<T> memory(Expr<T> e) {
    return (Tensor<T>) plan.memory(e, Reason.OPERAND);
  }

  /** The values of an expression in memory in row-major order. */
  public <T> Tensor<T> contiguous(Expr<T> e) {
    Tensor<T> t = memory(e);
    if (t.layout().isContiguous()) {
      return t;
    }
    Tensor<T> temp = plan.temporary(t.dtype(), t.shape());
    plan.note(
        plan.name(plan.number(temp.storage()))
            + " "
            + temp.label()
            + " is a contiguous copy: "
            + Reason.LAYOUT);
    copy(t, temp);
    plan.putMemory(e, temp);
    return temp;
  }

  /** A temporary: memory that exists while the assignment runs. */
  public <T> Tensor<T> temporary(DType<T> dtype, Shape shape) {
    return plan.temporary(dtype, shape);
  }

  /** Plans one more assignment, after those planned so far. */
  public <T> void assign(LValue<T> target, Expr<T> expr) {
    if (!(target instanceof Tensor<T> t)) {
      throw new ShapeException(
          "[assign] the target must be a tensor; got " + target + "; assign to a Tensor.");
    }
    new Assignment(plan, t, expr).run();
    plan.written(t);
  }

  /**
   * Plans code on the host, run each time the plan runs, after the kernels planned so far. It may
   * read and write the tensors that {@link #memory}, {@link #temporary} and the target give.
   */
  public void host(String what, Runnable work) {
    plan.add(work, what);
  }

  /** For host steps: writes row-major elements into a target of row-major layout. */
  public void write(LValue<F32> target, float[] values) {
    HostTransfer.write((Tensor<F32>) target, MemorySegment.ofArray(values));
  }

  /** For host steps: writes row-major elements, in the dtype's own bytes, into a target. */
  public <T> void write(LValue<T> target, MemorySegment values) {
    HostTransfer.write((Tensor<T>) target, values);
  }
}
