package ristretto.expr;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Node;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/**
 * Collects the steps of a plan while assignments are prepared and executed: numbers buffers and
 * launch scalars, makes temporaries, remembers which expressions are in memory, and notes every
 * decision for {@link Plan}.
 */
final class PlanBuilder {
  /** Characters after which a description leaves out what follows. */
  private static final int LONGEST_DESCRIPTION = 1000;

  private final Context context;
  private final ExprKey key;
  private final Map<Storage, Integer> numbers = new IdentityHashMap<>();
  private final List<Storage> storages = new ArrayList<>();
  private final List<Step> steps = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final Map<Expr<?>, Tensor<?>> memory = new IdentityHashMap<>();
  private final Map<Storage, Expr<?>> substitutes = new IdentityHashMap<>();

  /** Views of substitutes, one object for each tensor, so that a pass meets each once. */
  private final Map<Tensor<?>, Expr<?>> views = new IdentityHashMap<>();

  private final Fragments fragments = new Fragments(this);
  private final Map<Expr<?>, Integer> kernelsWith = new IdentityHashMap<>();
  private long visited;

  /** Tensors read by each barrier that is in memory. */
  private final Map<Expr<?>, List<Tensor<?>>> sources = new IdentityHashMap<>();

  private Set<LExpr<?>> needed = java.util.Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<Expr<?>> recomputed =
      java.util.Collections.newSetFromMap(new IdentityHashMap<>());
  private final Set<Expr<?>> active = java.util.Collections.newSetFromMap(new IdentityHashMap<>());
  private final Map<Storage, String> names = new IdentityHashMap<>();
  private final Set<Storage> results = java.util.Collections.newSetFromMap(new IdentityHashMap<>());
  private int temporaries;
  private List<Integer> from = List.of();
  private List<Integer> parts = List.of();
  private final BitSet beside = new BitSet();

  PlanBuilder(Context context, ExprKey key) {
    this.context = context;
    this.key = key;
    for (int k = 0; k < key.storageCount(); k++) {
      number(key.storage(k));
    }
  }

  Context context() {
    return context;
  }

  List<Step> steps() {
    return steps;
  }

  /** The first assignment of each part. */
  void inParts(List<Integer> starts) {
    parts = List.copyOf(starts);
  }

  List<Integer> parts() {
    return parts;
  }

  /** The same work in other steps, of all rounds of a recording. */
  void replaceSteps(List<Step> others, Recorded recording) {
    steps.clear();
    steps.addAll(others);
    inParts(recording.parts().stream().map(recording::number).toList());
    var all = new BitSet();
    for (int k = beside.nextSetBit(0); k >= 0; k = beside.nextSetBit(k + 1)) {
      recording.numbers(k).forEach(all::set);
    }
    beside.clear();
    beside.or(all);
  }

  /** Launch scalars by number. */
  long[] bits(int[] scalars) {
    return java.util.Arrays.stream(scalars).mapToLong(k -> key.scalars()[k]).toArray();
  }

  ExprKey key() {
    return key;
  }

  /** The part of a recorded assignment, the first being 0. */
  int part(int assignment) {
    int part = 0;
    while (part + 1 < parts.size() && parts.get(part + 1) <= assignment) {
      part++;
    }
    return part;
  }

  /** The part of a step. */
  int part(Step step) {
    return step instanceof Step.KernelStep k && !k.from().isEmpty() ? part(k.from().get(0)) : 0;
  }

  /** Notes which recorded assignments may write over what they read for the last time. */
  void inPlace(List<Recorder.Assigned> assigned, Set<Optimization> without) {
    boolean any = !without.contains(Optimization.IN_PLACE);
    for (int k = 0; k < assigned.size(); k++) {
      beside.set(k, !any || !assigned.get(k).inPlace());
    }
  }

  /** Whether a step may do so. */
  boolean isInPlace(Step step) {
    return step instanceof Step.KernelStep k && k.from().stream().noneMatch(beside::get);
  }

  /** What is added from here on executes these recorded assignments. */
  void executes(List<Integer> assignments) {
    from = assignments;
  }

  List<String> notes() {
    return notes;
  }

  List<Storage> storages() {
    return storages;
  }

  /** An expression in words, to a few levels and inputs; tensors by their names. */
  String describe(Expr<?> e) {
    var text = new StringBuilder();
    describe(e, 4, text);
    return text.toString();
  }

  private void describe(Expr<?> e, int levels, StringBuilder text) {
    Tensor<?> known = memory.get(e);
    if (known != null || e instanceof Tensor<?>) {
      text.append(name(number((known != null ? known : (Tensor<?>) e).storage())));
    } else if (e.inputs().isEmpty()) {
      text.append(e);
    } else if (e instanceof Reduced<?>) {
      describe(e.inputs().get(0), levels, text);
    } else if (levels == 0 || text.length() > LONGEST_DESCRIPTION) {
      text.append("...");
    } else {
      text.append(e).append('(');
      String separator = "";
      for (Expr<?> in : e.inputs()) {
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

  /** The code of the plan's expressions. */
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

  boolean isNumbered(Storage s) {
    return numbers.containsKey(s);
  }

  /** Gives the memory that an explanation is for a name; it is no temporary. */
  void nameResult(Storage s) {
    names.putIfAbsent(s, "y");
    results.add(s);
  }

  /** True if nothing outside of the plan sees the buffer. */
  boolean isTemporary(int buffer) {
    Storage s = storages.get(buffer);
    return s instanceof Storage.Planned && !results.contains(s);
  }

  void nameTemporary(Storage s) {
    if (!names.containsKey(s)) {
      names.put(s, "temp" + temporaries++);
    }
  }

  String name(int buffer) {
    Storage s = storages.get(buffer);
    return names.computeIfAbsent(s, _ -> "t" + buffer);
  }

  /**
   * Launch scalar k of an expression: an argument if the plan's key collected it, else a constant.
   */
  int scalar(
      Expr<?> expr, int k, BiFunction<ScalarType, Integer, Integer> argument, TapeBuilder tape) {
    var collected = new Collected();
    expr.scalars(collected);
    ScalarType type = collected.types.get(k);
    int first = key.firstScalar(expr);
    return first >= 0
        ? argument.apply(type, first + k)
        : tape.intern(new Node.Const(type, collected.bits.get(k)));
  }

  /** True if a number was collected as a launch scalar. */
  boolean isLaunchScalar(Scalars<?> number) {
    return !number.isLiteral() && key.firstScalar(number) >= 0;
  }

  Operand.Value launchScalar(Scalars<?> number) {
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

  <T> Tensor<T> temporary(DType<T> dtype, Shape shape) {
    var storage = new Storage.Planned(context, dtype, shape);
    names.put(storage, "temp" + temporaries++);
    return new Tensor<>(dtype, storage, Layout.contiguous(shape));
  }

  /** The memory that holds an expression's value already, or null. */
  Tensor<?> inMemory(Expr<?> e) {
    return memory.get(e);
  }

  void putMemory(Expr<?> e, Tensor<?> t) {
    memory.put(e, t);
  }

  void forget(Expr<?> e) {
    memory.remove(e);
  }

  /** Nothing computed so far may be read again. */
  void forgetAll() {
    memory.clear();
    sources.clear();
    kernelsWith.clear();
  }

  /**
   * Ends an assignment: what was computed for it may not be read again, but for barriers whose
   * memory, and what they were computed from, it has not written.
   */
  void assigned(List<Pair<?>> pairs) {
    kernelsWith.clear();
    needed.clear();
    memory.keySet().removeIf(e -> !(e instanceof LExpr<?>));
    pairs.forEach(p -> written(p.target()));
    if (pairs.size() == 1) {
      hold(pairs.get(0).target(), pairs.get(0).expr());
    }
  }

  /** Forgets values in memory that an assignment to a target has changed, or would change now. */
  void written(Tensor<?> to) {
    memory
        .entrySet()
        .removeIf(known ->
            overlap(known.getValue(), to)
                || sources.computeIfAbsent(known.getKey(), this::leaves).stream()
                    .anyMatch(t -> overlap(t, to)));
    sources.keySet().retainAll(memory.keySet());
  }

  /** Notes that a target holds the barrier that was assigned to it. */
  private void hold(Tensor<?> to, Expr<?> expr) {
    LExpr<?> barrier = Assignment.assignedBarrier(expr);
    Tensor<?> held = barrier == null ? null : Assignment.held(to, expr, barrier);
    if (held != null && leaves(barrier).stream().noneMatch(t -> overlap(t, to))) {
      memory.putIfAbsent(barrier, held);
    }
  }

  private static boolean overlap(Tensor<?> a, Tensor<?> b) {
    return a.storage() == b.storage() && a.layout().map().mayOverlap(b.layout().map());
  }

  /** Tensors that an expression is computed from, through inlined temporaries. */
  List<Tensor<?>> leaves(Expr<?> root) {
    var all = new ArrayList<Tensor<?>>();
    Set<Expr<?>> seen = java.util.Collections.newSetFromMap(new IdentityHashMap<>());
    var open = new ArrayDeque<Expr<?>>();
    open.add(root);
    while (!open.isEmpty()) {
      Expr<?> e = open.poll();
      if (seen.add(e)) {
        visited++;
        Expr<?> substitute = e instanceof Tensor<?> t ? substitute(t) : null;
        if (substitute != null) {
          open.add(substitute);
        } else if (e instanceof Tensor<?> t && !t.isCopy()) {
          all.add(t);
        } else {
          open.addAll(e.inputs());
        }
      }
    }
    return all;
  }

  /** Later assignments need these barriers in memory. */
  void needs(Set<LExpr<?>> barriers) {
    needed.addAll(barriers);
  }

  /** True if a later assignment needs a barrier in memory that holds nothing else then. */
  boolean isNeeded(LExpr<?> barrier) {
    return needed.contains(barrier);
  }

  /** The expression of a recorded temporary that is inlined instead of stored, or null. */
  Expr<?> substitute(Tensor<?> t) {
    Expr<?> e = substitutes.isEmpty() ? null : substitutes.get(t.storage());
    return e == null || isWhole(t, e) ? e : views.computeIfAbsent(t, this::viewed);
  }

  /** A view that an operator makes of an input that is inlined. */
  private <T> Expr<T> viewed(Tensor<T> t) {
    @SuppressWarnings("unchecked")
    var base = t.base() == null ? null : (Expr<T>) substitute(t.base());
    return base == null ? null : t.sameView(base);
  }

  /** True if {@code t} shows all elements of memory that holds {@code e}, in order. */
  static boolean isWhole(Tensor<?> t, Expr<?> e) {
    return !t.isCopy()
        && t.layout().isContiguous()
        && t.layout().offset() == 0
        && t.shape().equals(e.shape());
  }

  void substitute(Storage s, Expr<?> e) {
    substitutes.put(s, e);
    views.clear();
  }

  /** Stores a value for a kernel that reads it, unless it is in memory. */
  void store(Expr<?> e, Reason reason) {
    if (reason == Reason.GATHERED) {
      memory(e, reason);
    } else {
      materialize(e, reason);
    }
  }

  /** Puts an expression into a temporary, once. */
  Tensor<?> materialize(Expr<?> e, Reason reason) {
    Tensor<?> known = memory.get(e);
    if (known != null) {
      return known;
    }
    Tensor<?> temp = noted(e, reason);
    needed.remove(e);
    boolean first = active.add(e);
    new Assignment(this, temp, e).run();
    if (first) {
      active.remove(e);
    }
    memory.put(e, temp);
    return temp;
  }

  /** A temporary for an expression that the next kernel computes. */
  Tensor<?> reserve(Expr<?> e, Reason reason) {
    Tensor<?> temp = noted(e, reason);
    memory.put(e, temp);
    return temp;
  }

  private Tensor<?> noted(Expr<?> e, Reason reason) {
    Tensor<?> temp = temporary(e.dtype(), e.shape());
    note(
        name(number(temp.storage()))
            + " "
            + temp.label()
            + " holds "
            + describe(e)
            + ": "
            + reason);
    return temp;
  }

  /** The memory behind an expression: a tensor, an affine view of one, or else a temporary. */
  Tensor<?> memory(Expr<?> e, Reason reason) {
    Tensor<?> view = asTensor(e);
    return view != null ? view : materialize(e, reason);
  }

  /** True if an expression reads at indices that are computed together with it. */
  boolean mayBeRefusedLate(Expr<?> root) {
    Set<Expr<?>> seen = java.util.Collections.newSetFromMap(new IdentityHashMap<>());
    var open = new ArrayDeque<Expr<?>>();
    open.add(root);
    while (!open.isEmpty()) {
      Expr<?> e = open.poll();
      visited++;
      int indices = e instanceof Gather<?> ? 1 : e instanceof Scatter<?> ? 0 : -1;
      if (indices >= 0 && asTensor(e.inputs().get(indices)) == null) {
        return true;
      }
      Expr<?> substitute = e instanceof Tensor<?> t ? substitute(t) : null;
      for (Expr<?> in : substitute == null ? e.inputs() : List.<Expr<?>>of(substitute)) {
        if (inMemory(in) == null && seen.add(in)) {
          open.add(in);
        }
      }
    }
    return false;
  }

  /** The tensor that an expression is, perhaps through views; null if it is none. */
  Tensor<?> asTensor(Expr<?> e) {
    Tensor<?> known = memory.get(e);
    if (known != null) {
      return known;
    }
    if (e instanceof Tensor<?> t) {
      return t.isCopy() || substitute(t) != null ? null : t;
    }
    if (e instanceof CustomGradient<?> c) {
      return asTensor(c.inputs().get(0));
    }
    if (e instanceof View<?> v) {
      Tensor<?> below = asTensor(v.inputs().get(0));
      IndexMap map = below == null ? null : v.op().apply(below.layout().map());
      return map == null || map.bounded() ? null : below.with(map);
    }
    return null;
  }

  boolean tooOftenRecomputed(Expr<?> e) {
    return !recomputed.isEmpty() && recomputed.contains(e) && !active.contains(e);
  }

  /** From now on {@code e} is read from memory. */
  void recomputeNoMore(Expr<?> e) {
    recomputed.add(e);
  }

  boolean isActive(Expr<?> e) {
    return active.contains(e);
  }

  /** Notes that a kernel computes these expressions. */
  void recompute(Set<Expr<?>> some) {
    some.forEach(e -> kernelsWith.merge(e, 1, Integer::sum));
  }

  /** The number of kernels that compute an expression again for lack of memory that holds it. */
  int kernelsWith(Expr<?> e) {
    return kernelsWith.getOrDefault(e, 0);
  }

  /** Counts work: expressions and views that were looked at. */
  void visited(int count) {
    visited += count;
  }

  long visited() {
    return visited;
  }

  boolean enter(Expr<?> e) {
    return active.add(e);
  }

  void leave(Expr<?> e) {
    active.remove(e);
  }

  void add(Kernel kernel, String what) {
    steps.add(new Step.KernelStep(kernel, what, from));
  }

  void add(Runnable host, String what) {
    steps.add(new Step.HostStep(host, what));
  }

  void note(String text) {
    notes.add(text);
  }

  /**
   * The first and the last step that touches each argument. What only steps of one round touch is
   * free again after the last recorded one: each later one does with it what that does.
   */
  static Map<Integer, int[]> lifetimes(List<Step> steps) {
    var lifetimes = new HashMap<Integer, int[]>();
    for (int at = 0; at < steps.size(); at++) {
      int step = at;
      if (steps.get(at) instanceof Step.KernelStep k) {
        for (int buffer : k.buffers()) {
          lifetimes.computeIfAbsent(buffer, _ -> new int[] {step, step})[1] = step;
        }
      }
    }
    return lifetimes;
  }
}
