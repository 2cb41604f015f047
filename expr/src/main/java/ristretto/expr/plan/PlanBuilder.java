package ristretto.expr.plan;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import ristretto.expr.formula.ScalarSink;
import ristretto.expr.graph.Barrier.Scatter;
import ristretto.expr.graph.Constant;
import ristretto.expr.graph.Formula.Copy;
import ristretto.expr.graph.Formula.CustomGradient;
import ristretto.expr.graph.Formula.DropAxes;
import ristretto.expr.graph.Gather;
import ristretto.expr.graph.Operation;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.graph.View;
import ristretto.expr.index.IndexMap;
import ristretto.expr.index.ViewOp;
import ristretto.expr.memory.PlanContext;
import ristretto.expr.memory.Storage;
import ristretto.expr.option.Optimization;
import ristretto.expr.recording.Recorded;
import ristretto.expr.recording.Update;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Tables of a plan and collector of its steps: numbers of buffers and launch scalars, temporaries,
 * expressions whose values are in memory, inlined temporaries, and notes for {@link
 * ristretto.expr.Plan}.
 */
public final class PlanBuilder {
  /** Length in characters at which a description is cut off. */
  private static final int LONGEST_DESCRIPTION = 1000;

  private final PlanContext context;
  private final ExprKey key;
  private final Map<Storage, Integer> numbers = new IdentityHashMap<>();
  private final List<Storage> storages = new ArrayList<>();
  private List<Step.Lowered> steps = List.of();
  private List<Step> added = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final HeldValues memory = new HeldValues();
  private final Map<Storage, Term> substitutes = new IdentityHashMap<>();

  /** Views of inlined expressions, one object per tensor, so that a pass visits each once. */
  private final Map<StorageView, Term> views = new IdentityHashMap<>();

  private final Fragments fragments = new Fragments(this);
  private final Map<Term, Integer> kernelsWith = new IdentityHashMap<>();
  private long visited;

  private Set<Term> needed = java.util.Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<Term> recomputed = java.util.Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<Term> active = java.util.Collections.newSetFromMap(new IdentityHashMap<>());
  private final Map<Storage, String> names = new IdentityHashMap<>();
  private final Set<Storage> results = java.util.Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<Storage> own = java.util.Collections.newSetFromMap(new IdentityHashMap<>());
  private int temporaries;
  private List<Integer> from = List.of();
  private List<Integer> parts = List.of();
  private final BitSet beside = new BitSet();

  public PlanBuilder(PlanContext context, ExprKey key) {
    this.context = context;
    this.key = key;
    for (int k = 0; k < key.storageCount(); k++) {
      number(key.storage(k));
    }
  }

  /** Device and memory of the plan. */
  public PlanContext context() {
    return context;
  }

  public List<Step.Lowered> steps() {
    return steps;
  }

  /** Sets the number of the first assignment of each part. */
  public void inParts(List<Integer> starts) {
    parts = List.copyOf(starts);
  }

  public List<Integer> parts() {
    return parts;
  }

  public ExprKey key() {
    return key;
  }

  /** Part of a recorded assignment, counted from 0. */
  public int part(int assignment) {
    int part = 0;
    while (part + 1 < parts.size() && parts.get(part + 1) <= assignment) {
      part++;
    }
    return part;
  }

  /** Part of a step. */
  public int part(Step step) {
    return step instanceof Step.KernelStep k && !k.from().isEmpty() ? part(k.from().get(0)) : 0;
  }

  /**
   * Notes the recorded assignments that may write over operands that they read for the last time.
   */
  public void inPlace(Recorded recording, Set<Optimization> without) {
    boolean any = !without.contains(Optimization.IN_PLACE);
    for (int k = 0; k < recording.assigned().size(); k++) {
      if (!any || !recording.assigned().get(k).inPlace()) {
        recording.numbers(k).forEach(beside::set);
      }
    }
  }

  /** Returns true if a step may write over the values that it reads for the last time. */
  public boolean isInPlace(Step.Lowered step) {
    return step instanceof Step.KernelStep k && k.from().stream().noneMatch(beside::get);
  }

  /** Sets the recorded assignments that the steps added from here on execute. */
  void executes(List<Integer> assignments) {
    from = assignments;
  }

  public List<String> notes() {
    return notes;
  }

  public List<Storage> storages() {
    return storages;
  }

  /** Description of an expression, cut off at a few levels; tensors by their names. */
  String describe(Term e) {
    var text = new StringBuilder();
    describe(e, 4, text);
    return text.toString();
  }

  private void describe(Term e, int levels, StringBuilder text) {
    StorageView known = memory.get(e);
    if (known != null || isRead(e)) {
      text.append(name(number((known != null ? known : read(e)).storage())));
    } else if (e.operands().isEmpty()) {
      text.append(e.name());
    } else if (e.operation() instanceof DropAxes) {
      describe(e.operand(0), levels, text);
    } else if (levels == 0 || text.length() > LONGEST_DESCRIPTION) {
      text.append("...");
    } else {
      text.append(e.name()).append('(');
      String separator = "";
      for (Term in : e.operands()) {
        text.append(separator);
        separator = ", ";
        if (text.length() > LONGEST_DESCRIPTION) {
          text.append("...");
          break;
        }
        describe(in, levels - 1, text);
      }
      text.append(')');
    }
  }

  /** Returns true for memory and its copying reshapes. */
  private static boolean isRead(Term e) {
    return e.memory() != null || e.operation() instanceof Copy;
  }

  /** Memory that a leaf or a copying reshape reads. */
  private static StorageView read(Term e) {
    Term leaf = e;
    while (leaf.memory() == null) {
      leaf = leaf.operand(0);
    }
    return leaf.memory();
  }

  /** Name, dtype and shape of a tensor, for people. */
  String label(StorageView t) {
    return name(number(t.storage())) + " " + t.label();
  }

  /** Description of assignments. */
  String describe(List<Update> pairs) {
    return pairs.stream()
        .map(p -> label(p.target()) + " = " + describe(p.expr()))
        .collect(Collectors.joining(", "));
  }

  /** Scalar code of the expressions of this plan. */
  Fragments fragments() {
    return fragments;
  }

  /** Argument number of a buffer. */
  int number(Storage s) {
    return numbers.computeIfAbsent(
        s,
        fresh -> {
          storages.add(fresh);
          return storages.size() - 1;
        });
  }

  /** Names the memory of the result of an explanation; it is no temporary. */
  public void nameResult(Storage s) {
    names.putIfAbsent(s, "y");
    results.add(s);
  }

  /** Returns true if a buffer is not visible outside of the plan. */
  boolean isTemporary(int buffer) {
    Storage s = storages.get(buffer);
    return s instanceof Storage.Planned && !results.contains(s);
  }

  /** Returns true if planning made the memory: a temporary that no recording made. */
  boolean isOwn(Storage s) {
    return own.contains(s);
  }

  void nameTemporary(Storage s) {
    if (!names.containsKey(s)) {
      names.put(s, "temp" + temporaries++);
    }
  }

  public String name(int buffer) {
    Storage s = storages.get(buffer);
    return names.computeIfAbsent(s, _ -> "t" + buffer);
  }

  /**
   * Launch scalar k of an expression: an argument if the key of the plan has it, or else a
   * constant.
   */
  int scalar(
      Term expr, int k, BiFunction<ScalarType, Integer, Integer> argument, TapeBuilder tape) {
    var collected = new Collected();
    expr.operation().scalars(expr, collected);
    ScalarType type = collected.types.get(k);
    int first = key.firstScalar(expr);
    return first >= 0
        ? argument.apply(type, first + k)
        : tape.intern(new Node.Const(type, collected.bits.get(k)));
  }

  /** Returns true if a number is a launch scalar of the key. */
  boolean isLaunchScalar(Term number) {
    return number.operation() instanceof Constant c
        && !c.isLiteral()
        && key.firstScalar(number) >= 0;
  }

  Operand.Value launchScalar(Term number) {
    return new Operand.Value(number.dtype().compute(), key.firstScalar(number));
  }

  private static final class Collected implements ScalarSink {
    private final List<ScalarType> types = new ArrayList<>();
    private final List<Long> bits = new ArrayList<>();

    @Override
    public void add(DType<?> dtype, double value) {
      types.add(dtype.compute());
      bits.add(Node.Const.of(dtype.compute(), value).bits());
    }

    @Override
    public void add(long value) {
      types.add(ScalarType.I64);
      bits.add(value);
    }

    @Override
    public void addBits(DType<?> dtype, long value) {
      types.add(dtype.compute());
      bits.add(value);
    }
  }

  StorageView temporary(DType<?> dtype, Shape shape) {
    var storage = new Storage.Planned(context, dtype, shape);
    names.put(storage, "temp" + temporaries++);
    own.add(storage);
    return StorageView.contiguous(dtype, storage, shape);
  }

  /** Memory that holds the value of an expression already; null if none does. */
  StorageView inMemory(Term e) {
    return memory.get(e);
  }

  void putMemory(Term e, StorageView t) {
    memory.put(e, t);
  }

  void forget(Term e) {
    memory.forget(e);
  }

  /** Forgets the number of kernels that compute each expression. */
  void forgetRecomputed() {
    kernelsWith.clear();
  }

  /** Forgets all values in memory: none may be read again. */
  void forgetAll() {
    memory.forgetAll();
    kernelsWith.clear();
  }

  /** Ends a step: its assignments one by one, or those of an element-wise kernel together. */
  void assigned(Step step) {
    switch (step) {
      case Step.Assign a -> assigned(a.pairs());
      case Step.Elementwise e ->
          assigned(e.kernel().members().stream().flatMap(a -> a.pairs().stream()).toList());
      case Step.Columns c -> c.members().forEach(a -> assigned(a.pairs()));
      case Step.Loop _, Step.Materialize _, Step.Lowered _ -> {}
    }
  }

  /**
   * Ends an assignment: forgets the values computed for it, except barriers whose memory and
   * operands it has not written.
   */
  private void assigned(List<Update> pairs) {
    kernelsWith.clear();
    needed.clear();
    memory.forgetPassing();
    pairs.forEach(p -> written(p.target()));
    if (pairs.size() == 1) {
      hold(pairs.get(0).target(), pairs.get(0).expr());
    }
  }

  /** Forgets values whose memory or operands overlap a target that was written. */
  void written(StorageView to) {
    memory.written(to, e -> Leaves.read(this, e));
  }

  /** Notes that a target holds the barrier that was assigned to it. */
  private void hold(StorageView to, Term expr) {
    Term barrier = AssignmentLowering.assignedBarrier(expr);
    StorageView held = barrier == null ? null : AssignmentLowering.held(to, expr, barrier);
    if (held != null
        && memory.get(barrier) == null
        && Leaves.read(this, barrier).stream().noneMatch(t -> t.mayOverlap(to))) {
      memory.put(barrier, held);
    }
  }

  /** Notes barriers that later assignments need in memory. */
  void needs(Set<Term> barriers) {
    needed.addAll(barriers);
  }

  /** Returns true if a later assignment needs a barrier in a temporary. */
  boolean isNeeded(Term barrier) {
    return needed.contains(barrier);
  }

  /** Expression of a recorded temporary that is inlined; null if it is stored. */
  Term substitute(StorageView t) {
    Term e = substitutes.isEmpty() ? null : substitutes.get(t.storage());
    return e == null || isWhole(t, e) ? e : views.computeIfAbsent(t, this::viewed);
  }

  /** View of an inlined temporary, as an operator made it of the temporary. */
  private Term viewed(StorageView t) {
    Term base = t.base() == null ? null : substitute(t.base());
    ViewOp op = t.viewOp();
    return base == null ? null : Term.of(new View(op), base.dtype(), Shape.of(op.dims()), base);
  }

  /** Returns true if {@code t} has all elements of the memory that holds {@code e}, in order. */
  static boolean isWhole(StorageView t, Term e) {
    return t.map().isContiguous() && t.map().offset == 0 && t.shape().equals(e.shape());
  }

  void substitute(Storage s, Term e) {
    substitutes.put(s, e);
    views.clear();
  }

  /** Stores a value for a kernel that reads it, unless it is in memory. */
  void store(Term e, Reason reason) {
    if (reason == Reason.GATHERED) {
      memory(e, reason);
    } else {
      materialize(e, reason);
    }
  }

  /** Stores an expression to a temporary, unless its value is in memory. */
  StorageView materialize(Term e, Reason reason) {
    StorageView known = memory.get(e);
    if (known != null) {
      return known;
    }
    StorageView temp = noted(e, reason);
    needed.remove(e);
    boolean first = active.add(e);
    List<Update> parts = SplitConcats.parts(this, new Update(temp, e));
    (parts.isEmpty() ? new AssignmentLowering(this, temp, e) : new AssignmentLowering(this, parts))
        .run();
    if (first) {
      active.remove(e);
    }
    memory.put(e, temp);
    return temp;
  }

  /** Temporary for an expression that the next kernel stores. */
  StorageView reserve(Term e, Reason reason) {
    StorageView temp = noted(e, reason);
    memory.put(e, temp);
    return temp;
  }

  private StorageView noted(Term e, Reason reason) {
    StorageView temp = temporary(e.dtype(), e.shape());
    materialized(temp, "holds " + describe(e), reason);
    return temp;
  }

  /** Memory of an expression: a tensor, an affine view of one, or a temporary. */
  StorageView memory(Term e, Reason reason) {
    StorageView view = asMemory(e);
    if (view == null && (reason == Reason.DEMANDED || reason == Reason.OPERAND)) {
      view = rearranged(e, reason);
    }
    return view != null ? view : materialize(e, reason);
  }

  /**
   * Operand of a view with the same elements in another order, computed in its own order, so that
   * kernels need not write columns; null if the expression is no such view.
   */
  private StorageView rearranged(Term e, Reason reason) {
    if (!(e.operation() instanceof View v)) {
      return null;
    }
    Term below = e.operand(0);
    boolean keepsAll =
        v.op() instanceof ViewOp.Permute
            || v.op() instanceof ViewOp.Reshape && !(below.operation() instanceof View);
    StorageView whole = keepsAll ? memory(below, reason) : null;
    IndexMap map = whole == null ? null : v.op().apply(whole.map());
    return map == null || map.bounded() ? null : whole.with(map);
  }

  /** Returns true if an expression gathers at indices that are computed in the same plan. */
  boolean mayBeRefusedLate(Term root) {
    Set<Term> seen = java.util.Collections.newSetFromMap(new IdentityHashMap<>());
    var open = new ArrayDeque<Term>();
    open.add(root);
    while (!open.isEmpty()) {
      Term e = open.poll();
      visited++;
      Operation op = e.operation();
      int indices = op instanceof Gather ? 1 : op instanceof Scatter ? 0 : -1;
      if (indices >= 0 && asMemory(e.operand(indices)) == null) {
        return true;
      }
      Term substitute = e.memory() == null ? null : substitute(e.memory());
      for (Term in : substitute == null ? e.operands() : List.of(substitute)) {
        if (inMemory(in) == null && seen.add(in)) {
          open.add(in);
        }
      }
    }
    return false;
  }

  /** Tensor that an expression is, perhaps through views; null if it is none. */
  StorageView asMemory(Term e) {
    StorageView known = memory.get(e);
    if (known != null) {
      return known;
    }
    if (e.memory() != null) {
      return substitute(e.memory()) != null ? null : e.memory();
    }
    if (e.operation() instanceof CustomGradient) {
      return asMemory(e.operand(0));
    }
    if (e.operation() instanceof View v) {
      StorageView below = asMemory(e.operand(0));
      IndexMap map = below == null ? null : v.op().apply(below.map());
      return map == null || map.bounded() ? null : below.with(map);
    }
    return null;
  }

  boolean tooOftenRecomputed(Term e) {
    return !recomputed.isEmpty() && recomputed.contains(e) && !active.contains(e);
  }

  /** Stores {@code e} to memory in all following kernels instead of recomputing it. */
  void recomputeNoMore(Term e) {
    recomputed.add(e);
  }

  boolean isActive(Term e) {
    return active.contains(e);
  }

  /** Counts a kernel for each of the expressions that it computes. */
  void recompute(Set<Term> some) {
    some.forEach(e -> kernelsWith.merge(e, 1, Integer::sum));
  }

  /** Number of kernels that compute an expression. */
  int kernelsWith(Term e) {
    return kernelsWith.getOrDefault(e, 0);
  }

  /** Counts visited expressions and views, as a measure of planning work. */
  public void visited(int count) {
    visited += count;
  }

  public long visited() {
    return visited;
  }

  boolean enter(Term e) {
    return active.add(e);
  }

  void leave(Term e) {
    active.remove(e);
  }

  void add(Kernel kernel, String what) {
    added.add(new Step.KernelStep(kernel, what, from));
  }

  void add(Step step) {
    added.add(step);
  }

  /** Sets the steps of the plan, at the end of planning, and notes the temporaries. */
  void finish(Schedule schedule) {
    steps = schedule.lowered();
    notes.addAll(0, notes(schedule.steps()));
  }

  private static List<String> notes(List<Step> steps) {
    var all = new ArrayList<String>();
    for (Step step : steps) {
      if (step instanceof Step.Materialize m) {
        all.add(m.note());
      }
    }
    return all;
  }

  /** Returns the steps that {@code work} adds. */
  List<Step> collect(Runnable work) {
    List<Step> outer = added;
    added = new ArrayList<>();
    try {
      work.run();
      return added;
    } finally {
      added = outer;
    }
  }

  /**
   * Adds the step that declares a temporary.
   *
   * @param content verb and object: "holds ..."
   */
  void materialized(StorageView temp, String content, Reason reason) {
    added.add(new Step.Materialize(temp, label(temp) + " " + content, reason));
  }

  void note(String text) {
    notes.add(text);
  }

  /**
   * First and last step that accesses each argument. A temporary of a loop body lives in the first
   * iteration only: the other iterations use it at the same steps of theirs.
   */
  public static Map<Integer, int[]> lifetimes(List<Step.Lowered> steps) {
    var lifetimes = new HashMap<Integer, int[]>();
    for (int at = 0; at < steps.size(); at++) {
      int step = at;
      Set<Integer> buffers =
          steps.get(at) instanceof Step.KernelStep k ? k.buffers() : Step.buffers(steps.get(at));
      for (int buffer : buffers) {
        lifetimes.computeIfAbsent(buffer, _ -> new int[] {step, step})[1] = step;
      }
    }
    return lifetimes;
  }
}
