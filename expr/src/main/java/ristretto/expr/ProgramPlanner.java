package ristretto.expr;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import ristretto.kernels.device.Device;

/**
 * Plans the assignments of a recording together. Temporaries that one later assignment reads are
 * inlined there; runs of element-wise assignments of one shape become one kernel, values passing
 * between them in registers.
 */
final class ProgramPlanner {
  /** Stores of one fused kernel. */
  private static final int MOST_STORES = 16;

  /** Expressions that several readers of a temporary compute each instead of storing it. */
  private static final int MOST_REPEATED = 32;

  private final PlanBuilder plan;
  private final List<Recorder.Assigned> assigned;

  /** What runs no more: it is inlined, or a kernel before has made it. */
  private final boolean[] done;

  /** Of each assignment; see {@link Recorded#roundNumbers}. */
  private final int[] rounds;

  private final Set<Optimization> without;

  /** Null if sums are kernels of their own. */
  private final SumsWithWriters sums;

  private final SharedBarriers shared;

  private Group open;

  /** An assignment that is taken apart; -1 for none. */
  private int apart = -1;

  ProgramPlanner(PlanBuilder plan, Device device, Recorded recording, Set<Optimization> without) {
    this.plan = plan;
    this.without = without;
    this.assigned = recording.assigned();
    this.rounds = recording.roundNumbers();
    this.done = new boolean[assigned.size()];
    boolean joins = device.joinsColumns() && !without.contains(Optimization.JOIN_SUMS);
    this.sums = joins ? new SumsWithWriters(plan, assigned, done, this::isOfOnePart) : null;
    this.shared = new SharedBarriers(plan, assigned, this::isOfOnePart);
    for (Recorder.Assigned a : assigned) {
      for (Pair<?> p : a.pairs()) {
        if (p.target().storage() instanceof Storage.Planned) {
          plan.nameTemporary(p.target().storage());
        }
      }
    }
  }

  void run() {
    if (!without.contains(Optimization.INLINE)) {
      inlineTemporaries();
    }
    int last = 0;
    for (int k = 0; k < done.length; k++) {
      if (done[k]) {
        continue;
      }
      List<Pair<?>> pairs = assigned.get(k).pairs();
      if (pairs.get(0).target().shape().size() == 0) {
        continue;
      }
      if (open != null && !isOfOnePart(open.from.get(0), k)) {
        flush();
      }
      if (!isOfOnePart(last, k)) {
        plan.forgetAll();
      }
      last = k;
      if (pairs.size() == 1 && !without.contains(Optimization.JOIN)) {
        List<Pair<?>> parts = parts(pairs.get(0));
        if (!parts.isEmpty()) {
          apart = k;
          for (Pair<?> part : parts) {
            joinOrRun(part, k);
          }
          apart = -1;
          continue;
        }
        if (join(pairs.get(0), k)) {
          continue;
        }
      }
      flush();
      if (done[k] || sums != null && sums.join(k)) {
        continue;
      }
      plan.executes(List.of(k));
      plan.needs(shared.neededAfter(k));
      new Assignment(plan, pairs).run();
      plan.assigned(pairs);
    }
    flush();
  }

  // Inlining

  /** Which assignments read and write a piece of memory, and what they read, in order. */
  private final class Uses {
    final List<List<Tensor<?>>> leaves = new ArrayList<>();
    final Map<Storage, List<Integer>> readers = new IdentityHashMap<>();
    final Map<Storage, List<Integer>> writers = new IdentityHashMap<>();

    Uses() {
      for (int k = 0; k < assigned.size(); k++) {
        var all = new ArrayList<Tensor<?>>();
        for (Pair<?> p : assigned.get(k).pairs()) {
          all.addAll(ProgramPlanner.leaves(p.expr()));
          add(writers, p.target().storage(), k);
        }
        for (Tensor<?> t : all) {
          add(readers, t.storage(), k);
        }
        leaves.add(all);
      }
    }

    private static void add(Map<Storage, List<Integer>> all, Storage s, int assignment) {
      List<Integer> list = all.computeIfAbsent(s, _ -> new ArrayList<>());
      if (list.isEmpty() || list.get(list.size() - 1) != assignment) {
        list.add(assignment);
      }
    }
  }

  private void inlineTemporaries() {
    var uses = new Uses();
    for (int k = 0; k < done.length; k++) {
      Recorder.Assigned a = assigned.get(k);
      Pair<?> p = a.pairs().get(0);
      if (!a.fresh()
          || !(p.target().storage() instanceof Storage.Planned s)
          || uses.writers.get(s).size() != 1
          || !isElementwise(p.expr())) {
        continue;
      }
      List<Integer> readers = readersAfter(k, uses.readers.getOrDefault(s, List.of()));
      if ((readers.size() <= 1 || isCheap(p.expr()))
          && seeWhole(s, p.expr(), readers, uses)
          && areOfOnePart(k, readers)
          && !overwritten(p.expr(), k, readers, uses)) {
        plan.substitute(s, p.expr());
        done[k] = true;
      }
    }
  }

  /** True if several readers may compute an expression, with inlined temporaries that it reads. */
  private boolean isCheap(Expr<?> e) {
    if (e.depth() > 2) {
      return false;
    }
    int[] count = new int[1];
    visit(e, this::inputsThrough, _ -> count[0]++);
    return count[0] <= MOST_REPEATED;
  }

  private static List<Integer> readersAfter(int assignment, List<Integer> readers) {
    int at = 0;
    while (at < readers.size() && readers.get(at) <= assignment) {
      at++;
    }
    return readers.subList(at, readers.size());
  }

  /** Whether all that is read of the memory is it as a whole, as it was defined. */
  private static boolean seeWhole(Storage s, Expr<?> defined, List<Integer> readers, Uses uses) {
    for (int reader : readers) {
      for (Tensor<?> t : uses.leaves.get(reader)) {
        if (t.storage() == s && !PlanBuilder.isWhole(t, defined)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Readers in rounds may have what comes before these; what a round makes is its own. */
  private boolean areOfOnePart(int assignment, List<Integer> readers) {
    return readers.isEmpty()
        || plan.part(assignment) == plan.part(readers.getLast())
            && (rounds[assignment] == 0
                || rounds[assignment] == rounds[readers.get(0)]
                    && rounds[assignment] == rounds[readers.getLast()]);
  }

  private boolean isOfOnePart(int one, int other) {
    return plan.part(one) == plan.part(other) && rounds[one] == rounds[other];
  }

  /**
   * True if what {@code e} reads, through inlined temporaries too, is written before its last
   * reader.
   */
  private boolean overwritten(Expr<?> e, int from, List<Integer> readers, Uses uses) {
    int last = readers.isEmpty() ? from : readers.get(readers.size() - 1);
    for (Tensor<?> t : leavesThrough(e)) {
      for (int writer : uses.writers.getOrDefault(t.storage(), List.of())) {
        if (from < writer && writer < last) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isElementwise(Expr<?> e) {
    boolean[] result = {true};
    visit(e, Expr::inputs, x -> result[0] &= x instanceof RExpr<?>);
    return result[0];
  }

  static List<Tensor<?>> leaves(Expr<?> e) {
    return leaves(e, Expr::inputs);
  }

  private static List<Tensor<?>> leaves(
      Expr<?> e, Function<Expr<?>, List<? extends Expr<?>>> inputs) {
    var all = new ArrayList<Tensor<?>>();
    visit(
        e,
        inputs,
        x -> {
          if (x instanceof Tensor<?> t && !t.isCopy()) {
            all.add(t);
          }
        });
    return all;
  }

  private static void visit(
      Expr<?> root, Function<Expr<?>, List<? extends Expr<?>>> inputs, Consumer<Expr<?>> visitor) {
    Set<Expr<?>> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    var open = new ArrayDeque<Expr<?>>();
    open.add(root);
    while (!open.isEmpty()) {
      Expr<?> e = open.poll();
      if (seen.add(e)) {
        visitor.accept(e);
        open.addAll(inputs.apply(e));
      }
    }
  }

  /** The inputs of an expression; of an inlined temporary, what it is computed from. */
  private List<? extends Expr<?>> inputsThrough(Expr<?> e) {
    plan.visited(1);
    Expr<?> deeper = e instanceof Tensor<?> t ? plan.substitute(t) : null;
    return deeper == null ? e.inputs() : List.of(deeper);
  }

  /** Tensors that an expression reads, inlined temporaries among them with what they read. */
  private List<Tensor<?>> leavesThrough(Expr<?> e) {
    return leaves(e, this::inputsThrough);
  }

  // Joining

  /**
   * Parts of one shape, side by side, are stores of one kernel, which computes once what several of
   * them need; chosen by position, each element would compute all of them. Empty if there are no
   * such parts, or if they read what is written.
   */
  private List<Pair<?>> parts(Pair<?> p) {
    if (!(p.expr() instanceof Concat<?> c)
        || !p.target().shape().equals(c.shape())
        || !isElementwiseThrough(c)
        || !needsNoMemory(p)
        || reads(c, p.target())) {
      return List.of();
    }
    var parts = new ArrayList<Pair<?>>();
    Slice[] slices = new Slice[c.axis() + 1];
    Arrays.fill(slices, Ops.all());
    long extent = c.inputs().get(0).shape().at(c.axis());
    for (Expr<?> part : c.inputs()) {
      if (part.shape().at(c.axis()) != extent) {
        return List.of();
      }
      slices[c.axis()] = Ops.range(parts.size() * extent, (parts.size() + 1) * extent);
      parts.add(Pair.untyped(p.target().slice(slices), part));
    }
    return parts;
  }

  /** Whether an expression reads what a target covers. */
  private boolean reads(Expr<?> e, Tensor<?> target) {
    return leavesThrough(e).stream()
        .anyMatch(t ->
            t.storage() == target.storage() && t.layout().map().mayOverlap(target.layout().map()));
  }

  private void joinOrRun(Pair<?> p, int number) {
    if (!join(p, number)) {
      flush();
      plan.executes(List.of(number));
      new Assignment(plan, List.of(p)).run();
      plan.assigned(List.of(p));
    }
  }

  /** A kernel still open for more stores. */
  private static final class Group {
    final Shape shape;
    final Lowering lowering;
    final List<Tensor<?>> targets = new ArrayList<>();
    final List<Integer> rows = new ArrayList<>();
    final List<Integer> from = new ArrayList<>();
    final List<Pair<?>> pairs = new ArrayList<>();

    /** Whether it has all of some assignments and nothing else. */
    boolean isWhole = true;

    Group(PlanBuilder plan, Shape shape) {
      this.shape = shape;
      this.lowering = new Lowering(plan, null);
    }
  }

  /** Adds an element-wise assignment to the open kernel, or opens one for it. */
  private boolean join(Pair<?> p, int number) {
    if (!isElementwiseThrough(p.expr()) || !needsNoMemory(p)) {
      return false;
    }
    if (open != null
        && (!open.shape.equals(p.target().shape()) || open.targets.size() >= MOST_STORES)) {
      flush();
      if (done[number]) {
        return true;
      }
    }
    boolean first = open == null;
    if (first) {
      open = new Group(plan, p.target().shape());
    }
    if (tryJoin(p)) {
      if (open.from.isEmpty() || open.from.getLast() != number) {
        open.from.add(number);
      }
      open.pairs.add(p);
      open.isWhole &= apart < 0;
      return true;
    }
    if (first) {
      open = null;
      return false;
    }
    flush();
    return done[number] || join(p, number);
  }

  private static Draft.Root root(Pair<?> p) {
    return Draft.Root.of(p.expr(), p.target().shape(), null);
  }

  private boolean needsNoMemory(Pair<?> p) {
    return new Draft(plan, null, List.of(root(p))).isClean();
  }

  /** Element-wise, done temporaries included. */
  private boolean isElementwiseThrough(Expr<?> e) {
    boolean[] result = {true};
    visit(e, this::inputsThrough, x -> result[0] &= x instanceof RExpr<?>);
    return result[0];
  }

  private boolean tryJoin(Pair<?> p) {
    Tensor<?> to = p.target();
    int row = open.lowering.read(root(p));
    IndexMap map = to.layout().map();
    if (open.lowering.conflict(plan.number(to.storage()), map, false) != null) {
      return false;
    }
    int replaced = -1;
    for (int k = 0; k < open.targets.size(); k++) {
      Tensor<?> other = open.targets.get(k);
      IndexMap otherMap = other.layout().map();
      if (open.lowering.conflict(plan.number(other.storage()), otherMap, false) != null) {
        return false;
      }
      if (other.storage() == to.storage() && otherMap.mayOverlap(map)) {
        if (!otherMap.sameElements(map)) {
          return false;
        }
        replaced = k;
      }
    }
    if (replaced >= 0) {
      open.isWhole = false;
      open.targets.remove(replaced);
      open.rows.remove(replaced);
    }
    open.targets.add(to);
    open.rows.add(row);
    open.lowering.remember(to, map, row);
    return true;
  }

  private void flush() {
    if (open == null) {
      return;
    }
    Group group = open;
    open = null;
    if (group.targets.isEmpty()
        || sums != null
            && group.isWhole
            && sums.join(group.shape, group.pairs, List.copyOf(group.from), apart)) {
      return;
    }
    var text = new StringBuilder();
    for (Tensor<?> t : group.targets) {
      text.append(text.isEmpty() ? "" : ", ")
          .append(plan.name(plan.number(t.storage())))
          .append(' ')
          .append(t.label());
    }
    plan.executes(List.copyOf(group.from));
    Assignment.emitMap(
        plan,
        group.lowering.finish(group.rows.stream().mapToInt(Integer::intValue).toArray()),
        group.targets,
        text.toString());
    plan.assigned(group.pairs);
  }
}
