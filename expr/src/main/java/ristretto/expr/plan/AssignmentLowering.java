package ristretto.expr.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import ristretto.expr.graph.Barrier.Dot;
import ristretto.expr.graph.Barrier.Reduce;
import ristretto.expr.graph.Barrier.Scatter;
import ristretto.expr.graph.BarrierWork;
import ristretto.expr.graph.Constant;
import ristretto.expr.graph.Formula.Copy;
import ristretto.expr.graph.Formula.CustomGradient;
import ristretto.expr.graph.Formula.DropAxes;
import ristretto.expr.graph.Operation;
import ristretto.expr.graph.Pointwise;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.graph.View;
import ristretto.expr.index.IndexMap;
import ristretto.expr.index.Size;
import ristretto.expr.index.ViewChain;
import ristretto.expr.index.ViewOp;
import ristretto.expr.recording.Update;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.kernels.block.BlockFormat;
import ristretto.kernels.device.Device;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.KernelNames;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Op;

/**
 * Lowering of an assignment to kernels, in two phases. <b>Prepare</b> visits the expressions from
 * the root: barriers, the views through which they are read, and their requirements on inputs
 * (memory, unit stride). <b>Execute</b> plans barriers into temporaries, or into the target if the
 * rest can be computed there in place; the rest becomes one map or row kernel.
 */
public final class AssignmentLowering implements BarrierWork {
  /** Fewer rows, if long, are reduced by all threads in a kernel of their own. */
  private static final long FEW_ROWS = 16;

  private static final long LONG_ROW = 1 << 16;

  private record Target(StorageView to, Term expr) {}

  private final PlanBuilder plan;
  private final List<Target> targets;
  private Draft draft;

  private final List<Term> demandedMemory = new ArrayList<>();
  private final List<Term> demandedContiguous = new ArrayList<>();

  AssignmentLowering(PlanBuilder plan, StorageView to, Term expr) {
    this(plan, List.of(new Update(to, expr)));
  }

  /** Creates an assignment of several targets of one shape; each expression sees the old values. */
  AssignmentLowering(PlanBuilder plan, List<Update> pairs) {
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
    if (targets.size() == 1 && isWholeBarrier(targets.get(0).expr)) {
      return;
    }
    draft = new Draft(plan, null, roots(null));
  }

  /** Returns true for a barrier that fuses with nothing. */
  private static boolean isWholeBarrier(Term e) {
    return e.isBarrier() && !(e.operation() instanceof Reduce);
  }

  /** Roots of a kernel to whose space {@code base} leads. */
  private List<Draft.Root> roots(ViewChain base) {
    return targets.stream().map(t -> Draft.Root.of(t.expr, t.to.shape(), base)).toList();
  }

  /** Replaces reshapes at the root by views of the target. */
  private static Target root(Target t) {
    StorageView to = t.to;
    Term expr = t.expr;
    while (expr.shape().equals(to.shape()) && isReshapeOrSame(expr)) {
      Term below = expr.operand(0);
      IndexMap map = new ViewOp.Reshape(below.shape().longs()).apply(to.map());
      if (map == null) {
        break;
      }
      to = to.with(map);
      expr = below;
    }
    return new Target(to, expr);
  }

  /** Barrier that is assigned, perhaps reshaped; null for other expressions. */
  public static Term assignedBarrier(Term expr) {
    Term e = expr;
    while (isReshapeOrSame(e)) {
      e = e.operand(0);
    }
    return e.isBarrier() ? e : null;
  }

  /**
   * Returns the barrier whose value the target holds after {@code expr} was assigned to it, or
   * null.
   */
  static StorageView held(StorageView to, Term expr, Term barrier) {
    Target root = root(new Target(to, expr));
    return root.expr == barrier && root.to.shape().equals(barrier.shape()) ? root.to : null;
  }

  /** Returns true if an expression has the elements of its input, in order. */
  private static boolean isReshapeOrSame(Term e) {
    Operation op = e.operation();
    return op instanceof DropAxes
        || op instanceof CustomGradient
        || op instanceof Copy
        || op instanceof View v && v.op() instanceof ViewOp.Reshape;
  }

  @Override
  public void requireMemory(Term input) {
    demandedMemory.add(input);
  }

  @Override
  public void requireContiguous(Term input) {
    demandedMemory.add(input);
    demandedContiguous.add(input);
  }

  /**
   * States that an input must be computed before the target is written, if its computation may find
   * an index out of range; for operators that write their target in several steps.
   */
  void requireChecked(Term input) {
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
      if (isWholeBarrier(root.expr)
          && plan.inMemory(root.expr) == null
          && root.to.shape().equals(root.expr.shape())) {
        barrier(root.expr, root.to);
        return;
      }
      if (product(root)) {
        return;
      }
    }
    if (targets.size() == 2 && transform(targets.get(0), targets.get(1))) {
      return;
    }
    if (rows() || targets.size() == 1 && inTarget(targets.get(0))) {
      return;
    }
    map();
  }

  /**
   * Plans a barrier into the target, or through a temporary if the target overlaps the barrier's
   * operands.
   */
  private void barrier(Term l, StorageView to) {
    if (plan.isNeeded(l)) {
      copy(plan.materialize(l, Reason.SHARED), to);
      return;
    }
    boolean updates =
        l.operation() instanceof Scatter && l.operands().size() > 2 && isTarget(l.operand(2), to);
    boolean overlaps =
        updates
            ? readsMemoryOf(l.operand(0), to) || readsMemoryOf(l.operand(1), to)
            : readsMemoryOf(l, to);
    if (overlaps) {
      StorageView temp = plan.materialize(l, Reason.ALIAS);
      copy(temp, to);
      plan.forget(l);
      return;
    }
    var inner = new AssignmentLowering(plan, to, l);
    inner.prepare(l);
    LowerBarrier.execute(l, inner, to);
  }

  /** Stores what a barrier requires in memory. */
  private void prepare(Term l) {
    LowerBarrier.prepare(l, this);
    for (Term input : demandedMemory) {
      plan.memory(input, Reason.DEMANDED);
    }
    demandedContiguous.forEach(this::contiguous);
  }

  /** Plans a Fourier transform into the targets, if they are its real and its imaginary part. */
  private boolean transform(Target re, Target im) {
    Term f = LowerFourier.ofParts(re.expr, im.expr).orElse(null);
    if (f == null
        || plan.inMemory(f) != null
        || plan.isNeeded(f)
        || !re.to.shape().equals(re.expr.shape())
        || !Arrays.equals(re.to.map().strides, im.to.map().strides)
        || re.to.mayOverlap(im.to)
        || readsMemoryOf(f, re.to)
        || readsMemoryOf(f, im.to)) {
      return false;
    }
    prepare(f);
    new LowerFourier(f, this).run(re.to, im.to);
    return true;
  }

  private void copy(StorageView from, StorageView to) {
    new AssignmentLowering(plan, to, Term.of(from)).map();
  }

  /** Product with a scale that a GEMM applies. */
  private record Scaled(Term dot, double literal, Term scale) {}

  private Scaled scaled(Term e) {
    if (isDot(e)) {
      return new Scaled(e, 1, null);
    }
    if (!is(Op.MUL, e)) {
      return null;
    }
    Term first = e.operand(0);
    Term second = e.operand(1);
    if (isDot(second)) {
      Term swap = first;
      first = second;
      second = swap;
    }
    if (!isDot(first)
        || !(second.operation() instanceof Constant scale)
        || second.shape().rank() > first.shape().rank()) {
      return null;
    }
    if (scale.isLiteral()) {
      return new Scaled(first, scale.value(), null);
    }
    return plan.isLaunchScalar(second) ? new Scaled(first, 1, second) : null;
  }

  private static boolean isDot(Term e) {
    return e.operation() instanceof Dot;
  }

  private static boolean is(Op op, Term e) {
    return e.operation() instanceof Pointwise p && p.op() == op;
  }

  /** Plans {@code c = c + dot(a, b) * s} and {@code c = dot(a, b) * s} as one GEMM. */
  private boolean product(Target t) {
    Term first = null;
    Scaled scaled = scaled(t.expr);
    double sign = 1;
    boolean adds = is(Op.ADD, t.expr);
    if (adds || is(Op.SUB, t.expr)) {
      first = t.expr.operand(0);
      scaled = scaled(t.expr.operand(1));
      sign = adds ? 1 : -1;
      if (scaled == null && adds) {
        first = t.expr.operand(1);
        scaled = scaled(t.expr.operand(0));
      }
    }
    if (scaled == null
        || plan.inMemory(scaled.dot) != null
        || plan.isNeeded(scaled.dot)
        || !scaled.dot.shape().equals(t.to.shape())
        || first != null && !isTarget(first, t.to)
        || readsMemoryOf(scaled.dot, t.to)
        || !LowerProduct.canWrite(t.to)) {
      return false;
    }
    LowerProduct.multiply(
        scaled.dot, this, t.to, sign * scaled.literal, scaled.scale, first == null ? 0 : 1);
    return true;
  }

  boolean isTarget(Term e, StorageView to) {
    StorageView t = plan.asMemory(e);
    return t != null
        && t.dtype() == (Object) to.dtype()
        && t.storage() == to.storage()
        && t.map().sameElements(to.map());
  }

  /** Returns true if the evaluation of {@code e} reads memory that {@code to} overlaps. */
  private boolean readsMemoryOf(Term e, StorageView to) {
    var seen = java.util.Collections.newSetFromMap(new java.util.IdentityHashMap<Term, Boolean>());
    var open = new java.util.ArrayDeque<Term>();
    open.add(e);
    while (!open.isEmpty()) {
      Term next = open.poll();
      if (!seen.add(next)) {
        continue;
      }
      plan.visited(1);
      StorageView memory = plan.inMemory(next);
      if (memory == null && next.memory() != null) {
        Term substitute = plan.substitute(next.memory());
        if (substitute != null) {
          open.add(substitute);
          continue;
        }
        memory = next.memory();
      }
      if (memory == null) {
        open.addAll(next.operands());
      } else if (memory.storage() == to.storage() && memory.map().mayOverlap(to.map())) {
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
      if (b.expr().operation() instanceof Reduce && plan.inMemory(b.expr()) == null) {
        switch (RowSpace.fit(b.expr(), b.chain(), shape)) {
          case RowSpace.Fit.PerElement fit -> perElement = perElement == null ? fit : perElement;
          case RowSpace.Fit.PerRow fit -> perRow = perRow == null ? fit : perRow;
          case RowSpace.Fit.None _ -> {}
        }
      }
    }
    if (perElement != null) {
      RowSpace space = perElement.space();
      // An unknown number of rows counts as many: a batch of one is planned by itself.
      boolean isLong = !Size.isKnown(space.rowLength()) || space.rowLength() > LONG_ROW;
      if (!Size.isKnown(space.rowCount()) || space.rowCount() >= FEW_ROWS || !isLong) {
        return rows(space, perElement.order());
      }
      plan.note(
          "reductions over "
              + Size.text(space.rowLength())
              + " elements are kernels of their own: "
              + Reason.LONG_ROW);
      return false;
    }
    return perRow != null && rows(perRow.space(), null);
  }

  /**
   * Plans a row kernel.
   *
   * @param order view from the targets to the space; null if targets have one element per row
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
      IndexMap map = ViewChain.apply(base, t.to.map());
      maps.add(map);
      // A row's results are stored after all elements of the row were read.
      if (lowering.conflict(plan.number(t.to.storage()), map, order != null) != null) {
        throughTemporaries();
        return true;
      }
    }
    List<Term> needed = lowering.results().keySet().stream().filter(plan::isNeeded).toList();
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
    for (Term r : needed) {
      StorageView temp = plan.reserve(r, Reason.SHARED);
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

  /** Plans a barrier of the target's shape into the target, and the rest in place. */
  private boolean inTarget(Target t) {
    for (Draft.Barrier b : barriers()) {
      Term l = b.expr();
      if (b.chain() == null
          && plan.inMemory(l) == null
          && !plan.isNeeded(l)
          && l.shape().equals(t.to.shape())
          && l.dtype() == (Object) t.to.dtype()
          && LowerProduct.canWrite(t.to)
          && !readsMemoryOf(t.expr, t.to)
          && !plan.mayBeRefusedLate(t.expr)) {
        new AssignmentLowering(plan, t.to, l).run();
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
      if (lowering.conflict(plan.number(t.to.storage()), t.to.map(), false) != null) {
        throughTemporaries();
        return;
      }
    }
    emitMap(plan, lowering.finish(outputs), targets.stream().map(Target::to).toList(), describe());
  }

  static void emitMap(PlanBuilder plan, Lowering.Parts parts, List<StorageView> tos, String what) {
    var stores = new ArrayList<Operand.Memory>();
    String layout = "flat";
    for (StorageView to : tos) {
      stores.add(
          new Operand.Memory(
              to.dtype().scalar(),
              plan.number(to.storage()),
              to.map().affine(),
              Optional.empty(),
              List.of()));
      layout = to.map().isContiguous() ? layout : "strided";
    }
    String name =
        KernelNames.of("map", parts.tape(), tos.get(0).dtype().scalar(), layout, stores.size());
    plan.add(
        new Kernel.Map(name, tos.get(0).shape().longs(), parts.tape(), parts.inputs(), stores),
        what);
  }

  /** Computes into temporaries, then copies, if a target is read at another index. */
  private void throughTemporaries() {
    List<StorageView> temps = new ArrayList<>();
    List<Update> pairs = new ArrayList<>();
    for (Target t : targets) {
      StorageView temp = plan.temporary(t.to.dtype(), t.to.shape());
      temps.add(temp);
      pairs.add(new Update(temp, t.expr));
      String old = plan.name(plan.number(t.to.storage()));
      plan.materialized(temp, "holds the new value of " + old, Reason.ALIAS);
    }
    var through = new AssignmentLowering(plan, pairs);
    through.prepare();
    through.execute();
    List<Update> copies = new ArrayList<>();
    for (int k = 0; k < temps.size(); k++) {
      copies.add(new Update(targets.get(k).to, Term.of(temps.get(k))));
    }
    new AssignmentLowering(plan, copies).map();
  }

  Operand.Memory memory(StorageView t, IndexMap map) {
    return new Operand.Memory(t.dtype().scalar(), plan.number(t.storage()), map.affine());
  }

  private String describe() {
    return plan.describe(targets.stream().map(t -> new Update(t.to, t.expr)).toList());
  }

  // For operators

  PlanBuilder plan() {
    return plan;
  }

  @Override
  public StorageView memory(Term e) {
    return plan.memory(e, Reason.OPERAND);
  }

  @Override
  public StorageView contiguous(Term e) {
    StorageView m = memory(e);
    if (m.map().isContiguous()) {
      return m;
    }
    StorageView temp = plan.temporary(m.dtype(), m.shape());
    plan.materialized(temp, "is a contiguous copy", Reason.LAYOUT);
    copy(m, temp);
    plan.putMemory(e, temp);
    return temp;
  }

  @Override
  public StorageView temporary(DType<?> dtype, Shape shape) {
    return plan.temporary(dtype, shape);
  }

  @Override
  public void assign(StorageView target, Term expr) {
    new AssignmentLowering(plan, target, expr).run();
    plan.written(target);
  }

  @Override
  public void multiply(BlockFormat format, StorageView a, StorageView blocks, StorageView target) {
    LowerProduct.blocks(format, this, a, blocks, target);
  }

  @Override
  public Device device() {
    return plan.context().device();
  }

  @Override
  public void host(String what, Runnable work) {
    plan.add(new Step.HostStep(what, (_, _) -> work.run(), List.of(), 0, false));
  }

  @Override
  public void host(String what, HostWork work, List<StorageView> views, int targets) {
    List<Integer> arguments = views.stream().map(v -> plan.number(v.storage())).toList();
    plan.add(new Step.HostStep(what, work, arguments, targets, true));
  }
}
