package ristretto.expr;

import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.BiFunction;
import java.util.function.IntConsumer;
import java.util.function.UnaryOperator;
import ristretto.kernels.ShapeException;

/**
 * Collects the assignments of a recorded body. Expressions are copied with aliases in place of the
 * tensors that the body evaluated, so that the recording itself keeps none of these tensors alive:
 * tensors unreachable after the body are temporaries of the program.
 */
final class Recorder {
  /** Substitute for memory that {@code eval} allocated inside the body. */
  private static final class Alias {
    final Storage.Planned planned;
    final WeakReference<Storage> user;

    Alias(Tensor<?> real) {
      planned = new Storage.Planned(real.context(), real.dtype(), real.shape());
      user = new WeakReference<>(real.storage());
    }
  }

  /**
   * Recorded assignment.
   *
   * @param fresh true if eval made the target, so that the assignment defines all its elements
   * @param label the user's label, or null
   * @param inPlace true if the assignment may write over operands that it reads for the last time
   */
  record Assigned(List<Pair<?>> pairs, boolean fresh, Object label, boolean inPlace) {
    Assigned with(List<Pair<?>> others) {
      return new Assigned(others, fresh, label, inPlace);
    }
  }

  private final Mode mode;
  private Object label;
  private boolean inPlace = true;
  private final List<Integer> parts = new ArrayList<>();
  private final List<Assigned> assigned = new ArrayList<>();
  private Map<Storage, Alias> aliases = new IdentityHashMap<>();

  /**
   * Copies of expressions that are still reachable, so that copies share subexpressions as their
   * originals do.
   */
  private final Map<Expr<?>, Expr<?>> copied = new WeakHashMap<>();

  private List<Alias> order = new ArrayList<>();
  private final Map<Storage, Storage> kept = new IdentityHashMap<>();
  private final List<Rounds> rounds = new ArrayList<>();
  private final Set<Storage> written = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Loop that is being recorded, or null. */
  private Rounds open;

  /** Time at which assignments run, and treatment of tensors that the body makes. */
  enum Mode {
    /** Assignments run immediately. */
    NOW,

    /** Assignments are recorded only. */
    LATER,

    /** Assignments are recorded only, and all tensors are temporaries. */
    LATER_KEEPING_NOTHING
  }

  Recorder(Mode mode) {
    this.mode = mode;
  }

  boolean runsLater() {
    return mode != Mode.NOW;
  }

  boolean keepsNothing() {
    return mode == Mode.LATER_KEEPING_NOTHING;
  }

  void label(Object what) {
    label = what;
  }

  void inPlace(boolean whether) {
    inPlace = whether;
  }

  /** Starts the next part. */
  void part() {
    parts.add(assigned.size());
  }

  /** Number of the first assignment of each part. */
  List<Integer> parts() {
    return parts;
  }

  /** Recorded loops. */
  List<Rounds> rounds() {
    return rounds;
  }

  /**
   * Records a loop; a nested loop is unrolled into its outer loop's iterations.
   *
   * @param without disabled optimizations
   */
  void repeat(
      int times,
      IntConsumer body,
      BiFunction<Object, Integer, Object> labels,
      Set<Optimization> without) {
    // without live ranges, temporaries of different iterations share no memory, so none are
    // extrapolated
    boolean all = without.contains(Optimization.REPEAT) || without.contains(Optimization.LIFETIMES);
    Rounds own = open == null ? new Rounds(times, labels) : null;
    if (own != null) {
      rounds.add(own);
      open = own;
    }
    try {
      boolean more = true;
      for (int round = 0; round < times && more; round++) {
        if (own != null) {
          own.begin(assigned.size());
        }
        body.accept(round);
        if (own != null) {
          own.end(assigned.size());
          more = all || !keepsNothing() || !own.show(assigned);
        }
      }
    } finally {
      if (own != null) {
        label = own.later(label, own.missing());
        open = null;
      }
    }
  }

  /** Registers a temporary of a recording in which all tensors are temporaries. */
  void made(Storage storage) {
    if (open != null) {
      open.made(storage);
    }
  }

  void made(Tensor<?> t) {
    var alias = new Alias(t);
    aliases.put(t.storage(), alias);
    order.add(alias);
  }

  /** Checks that this recording does not assign a tensor that is read before the program runs. */
  void requireComputed(Tensor<?> t) {
    if (written.contains(t.storage())) {
      throw new ShapeException(
          "[read] values must be computed before they are read; got "
              + t.label()
              + ", which this recording assigns only when its program runs; read it after"
              + " run(), or use record, which runs assignments at once.");
    }
  }

  /** Checks that this recording does not assign a tensor that is set from the host. */
  void requireUnassigned(Tensor<?> t) {
    if (written.contains(t.storage())) {
      throw new ShapeException(
          "[write] a tensor must not be set from the host where a recording assigns it; got "
              + t.label()
              + ", whose assignment would come after; set it before the recording, or after"
              + " run().");
    }
  }

  /**
   * Checks that assignments run immediately, so that a program run inside of the recording reads
   * their results.
   */
  void requireNow(Program program) {
    if (runsLater()) {
      throw new ShapeException(
          "[run] a program must not run inside of a recording that runs nothing; got one of "
              + program.kernelCount()
              + " kernels, which would not be recorded; run it afterwards, or assign there what"
              + " it assigns.");
    }
  }

  void add(List<Pair<?>> pairs, boolean fresh) {
    if (runsLater()) {
      pairs.forEach(p -> written.add(p.target().storage()));
    }
    if (keepsNothing()) {
      assigned.add(new Assigned(pairs, fresh, label, inPlace));
      return;
    }
    var copies = new IdentityHashMap<Expr<?>, Expr<?>>();
    var out = new ArrayList<Pair<?>>();
    for (Pair<?> p : pairs) {
      out.add(Pair.untyped((Tensor<?>) copy(p.target(), copies), copy(p.expr(), copies)));
    }
    assigned.add(new Assigned(out, fresh, label, inPlace));
  }

  private Expr<?> copy(Expr<?> root, Map<Expr<?>, Expr<?>> copies) {
    return rebuild(
        root,
        copies,
        t -> {
          Alias alias = aliases.get(t.storage());
          return alias == null ? t : t.on(alias.planned);
        },
        copied);
  }

  /** Rebuilds an expression over other tensors; unchanged subexpressions are shared. */
  static Expr<?> rebuild(
      Expr<?> root, Map<Expr<?>, Expr<?>> copies, UnaryOperator<Tensor<?>> tensors) {
    return rebuild(root, copies, tensors, new IdentityHashMap<>());
  }

  private static Expr<?> rebuild(
      Expr<?> root,
      Map<Expr<?>, Expr<?>> copies,
      UnaryOperator<Tensor<?>> tensors,
      Map<Expr<?>, Expr<?>> earlier) {
    var stack = new ArrayDeque<Expr<?>>();
    stack.push(root);
    while (!stack.isEmpty()) {
      Expr<?> e = stack.peek();
      boolean ready = true;
      for (Expr<?> in : e.inputs()) {
        if (!copies.containsKey(in)) {
          stack.push(in);
          ready = false;
        }
      }
      if (ready) {
        stack.pop();
        if (!copies.containsKey(e)) {
          Expr<?> known = earlier.get(e);
          Expr<?> copy = known != null ? known : rebuildOne(e, copies, tensors);
          copies.put(e, copy);
          if (copy != e) {
            earlier.put(e, copy);
          }
        }
      }
    }
    return copies.get(root);
  }

  private static Expr<?> rebuildOne(
      Expr<?> e, Map<Expr<?>, Expr<?>> copies, UnaryOperator<Tensor<?>> tensors) {
    if (e instanceof Tensor<?> t && !t.isCopy()) {
      return tensors.apply(t);
    }
    if (e instanceof CustomGradient<?>) {
      return copies.get(e.inputs().get(0));
    }
    List<Expr<?>> inputs = e.inputs().stream().<Expr<?>>map(copies::get).toList();
    boolean same = true;
    for (int k = 0; k < inputs.size(); k++) {
      same &= inputs.get(k) == e.inputs().get(k);
    }
    if (same) {
      return e;
    }
    if (e instanceof View<?> v
        && inputs.get(0) instanceof Tensor<?> t
        && !(e.inputs().get(0) instanceof Tensor<?>)) {
      return t.view(v.op());
    }
    // A copying reshape refers to the storage it copies and would keep it alive.
    return e instanceof Tensor<?> copy ? copy.copying(inputs.get(0)) : e.withInputs(inputs);
  }

  List<Assigned> assigned() {
    return assigned;
  }

  /** Determines, after the body, which of its tensors are still reachable. */
  void close() {
    written.clear();
    aliases = Map.of();
    copied.clear();
    if (order.isEmpty()) {
      return;
    }
    System.gc();
    for (Alias a : order) {
      Storage user = a.user.get();
      if (user != null) {
        kept.put(a.planned, user);
      }
    }
    order = List.of();
  }

  /** Reachable memory behind an alias, or null for a temporary. */
  Storage kept(Storage s) {
    return kept.get(s);
  }
}
