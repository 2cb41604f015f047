package ristretto.expr.recording;

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
import ristretto.expr.graph.Formula.CustomGradient;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.graph.View;
import ristretto.expr.memory.Storage;
import ristretto.expr.option.Optimization;
import ristretto.kernels.ShapeException;

/**
 * Collects the assignments of a recorded body. Expressions are copied with aliases in place of the
 * tensors that the body evaluated, so that the recording itself keeps none of these tensors alive:
 * tensors unreachable after the body are temporaries of the program.
 */
public final class Recorder {
  /** Substitute for memory that {@code eval} allocated inside the body. */
  private static final class Alias {
    final Storage.Planned planned;
    final WeakReference<Storage> user;

    Alias(StorageView real) {
      planned = new Storage.Planned(real.storage().owner(), real.dtype(), real.shape());
      user = new WeakReference<>(real.storage());
    }
  }

  /**
   * Recorded assignment.
   *
   * @param fresh true if eval made the target, so that the assignment defines all its elements
   * @param label the user's label, or null
   * @param inPlace true if the assignment may write over operands that it reads for the last time
   * @param round number of the loop iteration that it belongs to; 0 outside of loops
   */
  public record Assigned(
      List<Update> pairs, boolean fresh, Object label, boolean inPlace, int round) {
    public Assigned with(List<Update> others) {
      return new Assigned(others, fresh, label, inPlace, round);
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
  private final Map<Term, Term> copied = new WeakHashMap<>();

  private List<Alias> order = new ArrayList<>();
  private final Map<Storage, Storage> kept = new IdentityHashMap<>();
  private final List<RecordedLoop> loops = new ArrayList<>();

  /** Memory made by iterations that were recorded only to determine the motion of operands. */
  private final Set<Storage> dropped = RecordedLoop.storages();

  /** Number of loop iterations so far. */
  private int rounds;

  private final Set<Storage> written = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Loop that is being recorded, or null. */
  private LoopRecording open;

  /** Time at which assignments run, and treatment of tensors that the body makes. */
  public enum Mode {
    /** Assignments run immediately. */
    NOW,

    /** Assignments are recorded only. */
    LATER,

    /** Assignments are recorded only, and all tensors are temporaries. */
    LATER_KEEPING_NOTHING
  }

  public Recorder(Mode mode) {
    this.mode = mode;
  }

  public boolean runsLater() {
    return mode != Mode.NOW;
  }

  public boolean keepsNothing() {
    return mode == Mode.LATER_KEEPING_NOTHING;
  }

  public void label(Object what) {
    label = what;
  }

  public void inPlace(boolean whether) {
    inPlace = whether;
  }

  /** Starts the next part. */
  public void part() {
    parts.add(assigned.size());
  }

  /** Number of the first assignment of each part. */
  List<Integer> parts() {
    return parts;
  }

  /** Recorded loops. */
  List<RecordedLoop> loops() {
    return loops;
  }

  /** Memory that exists in no iteration of a loop any more. */
  Set<Storage> dropped() {
    return dropped;
  }

  private int round() {
    return open == null ? 0 : rounds;
  }

  /**
   * Records a loop; a nested loop is unrolled into its outer loop's iterations.
   *
   * @param without disabled optimizations
   */
  public void repeat(
      int times,
      IntConsumer body,
      BiFunction<Object, Integer, Object> labels,
      Set<Optimization> without) {
    if (open != null) {
      for (int round = 0; round < times; round++) {
        body.accept(round);
      }
      return;
    }
    // without live ranges, temporaries of different iterations share no memory
    boolean unrolls =
        !keepsNothing()
            || without.contains(Optimization.REPEAT)
            || without.contains(Optimization.LIFETIMES);
    open = new LoopRecording(times, labels);
    try {
      boolean more = true;
      for (int round = 0; round < times && more; round++) {
        rounds++;
        open.begin(assigned.size());
        body.accept(round);
        more = unrolls || !open.isDetermined(assigned);
      }
      label = open.last(label);
      open.close(assigned, dropped).ifPresent(loops::add);
    } finally {
      open = null;
    }
  }

  /** Registers a temporary of a recording in which all tensors are temporaries. */
  public void made(Storage storage) {
    if (open != null) {
      open.made(storage);
    }
  }

  public void made(StorageView t) {
    var alias = new Alias(t);
    aliases.put(t.storage(), alias);
    order.add(alias);
  }

  /** Checks that this recording does not assign a tensor that is read before the program runs. */
  public void requireComputed(Storage s, String label) {
    if (written.contains(s)) {
      throw new ShapeException(
          "[read] values must be computed before they are read; got "
              + label
              + ", which this recording assigns only when its program runs; read it after"
              + " run(), or use record, which runs assignments at once.");
    }
  }

  /** Checks that this recording does not assign a tensor that is set from the host. */
  public void requireUnassigned(Storage s, String label) {
    if (written.contains(s)) {
      throw new ShapeException(
          ("[write] a tensor that a recording assigns must not be set from the host during the"
               + " recording; got %s, whose recorded assignment would run later; set it before the"
               + " recording, or after run().")
              .formatted(label));
    }
  }

  /**
   * Checks that assignments run immediately, so that a program run inside of the recording reads
   * their results.
   */
  public void requireNow(int kernels) {
    if (runsLater()) {
      throw new ShapeException(
          "[run] a program must not run inside a recording that runs nothing; got one of "
              + kernels
              + " kernels, which would not be recorded; run it afterwards, or repeat its"
              + " assignments in the recording.");
    }
  }

  public void add(List<Update> pairs, boolean fresh) {
    if (runsLater()) {
      pairs.forEach(p -> written.add(p.target().storage()));
    }
    if (keepsNothing()) {
      assigned.add(new Assigned(pairs, fresh, label, inPlace, round()));
      return;
    }
    var copies = new IdentityHashMap<Term, Term>();
    var out = new ArrayList<Update>();
    for (Update p : pairs) {
      out.add(new Update(alias(p.target()), copy(p.expr(), copies)));
    }
    assigned.add(new Assigned(out, fresh, label, inPlace, round()));
  }

  private Term copy(Term root, Map<Term, Term> copies) {
    return rebuild(root, copies, this::alias, copied);
  }

  private StorageView alias(StorageView m) {
    Alias alias = aliases.get(m.storage());
    return alias == null ? m : m.on(alias.planned);
  }

  /** Rebuilds an expression over other tensors; unchanged subexpressions are shared. */
  public static Term rebuild(
      Term root, Map<Term, Term> copies, UnaryOperator<StorageView> memories) {
    return rebuild(root, copies, memories, new IdentityHashMap<>());
  }

  private static Term rebuild(
      Term root,
      Map<Term, Term> copies,
      UnaryOperator<StorageView> memories,
      Map<Term, Term> earlier) {
    var stack = new ArrayDeque<Term>();
    stack.push(root);
    while (!stack.isEmpty()) {
      Term e = stack.peek();
      boolean ready = true;
      for (Term in : e.operands()) {
        if (!copies.containsKey(in)) {
          stack.push(in);
          ready = false;
        }
      }
      if (ready) {
        stack.pop();
        if (!copies.containsKey(e)) {
          Term known = earlier.get(e);
          Term copy = known != null ? known : rebuildOne(e, copies, memories);
          copies.put(e, copy);
          if (copy != e) {
            earlier.put(e, copy);
          }
        }
      }
    }
    return copies.get(root);
  }

  private static Term rebuildOne(
      Term e, Map<Term, Term> copies, UnaryOperator<StorageView> memories) {
    if (e.memory() != null) {
      StorageView other = memories.apply(e.memory());
      return other == e.memory() ? e : e.reading(other);
    }
    if (e.operation() instanceof CustomGradient) {
      return copies.get(e.operand(0));
    }
    List<Term> operands = e.operands().stream().map(copies::get).toList();
    boolean same = true;
    for (int k = 0; k < operands.size(); k++) {
      same &= operands.get(k) == e.operand(k);
    }
    if (same) {
      return e;
    }
    StorageView memory = operands.get(0).memory();
    if (e.operation() instanceof View v && memory != null && e.operand(0).memory() == null) {
      StorageView viewed = memory.view(v.op());
      return viewed == null ? e.withOperands(operands) : operands.get(0).reading(viewed);
    }
    return e.withOperands(operands);
  }

  public List<Assigned> assigned() {
    return assigned;
  }

  /** Determines, after the body, which of its tensors are still reachable. */
  public void close() {
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
  public Storage kept(Storage s) {
    return kept.get(s);
  }
}
