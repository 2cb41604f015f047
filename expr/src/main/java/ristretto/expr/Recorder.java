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
 * Collects the assignments a recorded body makes. Expressions are copied onto aliases of the
 * tensors that the body evaluated, so that the recording itself keeps none of those alive: what the
 * garbage collector finds unreachable after the body is a temporary of the program.
 */
final class Recorder {
  /** Stands for memory that {@code eval} made inside the body. */
  private static final class Alias {
    final Storage.Planned planned;
    final WeakReference<Storage> user;

    Alias(Tensor<?> real) {
      planned = new Storage.Planned(real.context(), real.dtype(), real.shape());
      user = new WeakReference<>(real.storage());
    }
  }

  /**
   * @param fresh the target was made by eval: this defines all its elements
   * @param label what the user said it is for, or null
   * @param inPlace whether it may write over what it reads for the last time
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
   * Copies of expressions that the user still holds: what assignments share, their copies share.
   */
  private final Map<Expr<?>, Expr<?>> copied = new WeakHashMap<>();

  private List<Alias> order = new ArrayList<>();
  private final Map<Storage, Storage> kept = new IdentityHashMap<>();
  private final List<Rounds> rounds = new ArrayList<>();
  private final Set<Storage> written = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Those that are being recorded, or null. */
  private Rounds open;

  /** When assignments run, and what becomes of the tensors that the body makes. */
  enum Mode {
    /** They run at once. */
    NOW,

    /** They are recorded only. */
    LATER,

    /** And all tensors are temporaries. */
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

  /** What follows is another part. */
  void part() {
    parts.add(assigned.size());
  }

  /** The number of the first assignment of each part. */
  List<Integer> parts() {
    return parts;
  }

  /** All that were recorded. */
  List<Rounds> rounds() {
    return rounds;
  }

  /**
   * Records rounds of a body; within others they are no rounds of their own.
   *
   * @param without optimizations to leave out
   */
  void repeat(
      int times,
      IntConsumer body,
      BiFunction<Object, Integer, Object> labels,
      Set<Optimization> without) {
    // each temporary has memory of its own, in each round
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

  /** A temporary of a recording that keeps nothing. */
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

  /** Checks that a tensor has its values before the program runs. */
  void requireComputed(Tensor<?> t) {
    if (written.contains(t.storage())) {
      throw new ShapeException(
          "[read] values must be computed before they are read; got "
              + t.label()
              + ", which this recording assigns only when its program runs; read it after"
              + " run(), or use record, which runs assignments at once.");
    }
  }

  /** Checks that a tensor set from the host now is not one that the program assigns. */
  void requireUnassigned(Tensor<?> t) {
    if (written.contains(t.storage())) {
      throw new ShapeException(
          "[write] a tensor must not be set from the host where a recording assigns it; got "
              + t.label()
              + ", whose assignment would come after; set it before the recording, or after"
              + " run().");
    }
  }

  /** Checks that a program that runs now finds what was assigned before. */
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

  /** The same expression over other tensors; what does not change is shared. */
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
    // A copy knows whose memory it copies; it would keep that alive.
    return e instanceof Tensor<?> copy ? copy.copying(inputs.get(0)) : e.withInputs(inputs);
  }

  List<Assigned> assigned() {
    return assigned;
  }

  /** Decides, after the body, which tensors it made are still in use. */
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

  /** The memory behind an alias that the user still holds, or null for a temporary. */
  Storage kept(Storage s) {
    return kept.get(s);
  }
}
