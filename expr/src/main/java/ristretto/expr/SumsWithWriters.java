package ristretto.expr;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import ristretto.kernels.ir.Kernel;

/**
 * Finds recorded assignments that reduce, over the outer axes, what a kernel writes or others of
 * them reduce, and makes one kernel of them: then it is read once, or from registers. They may come
 * later, where nothing in between is in the way.
 */
final class SumsWithWriters {
  /** Element-wise assignments are taken past no more than this: their results take memory. */
  private static final int NEAR = 4;

  private final PlanBuilder plan;
  private final List<Recorder.Assigned> assigned;
  private final boolean[] done;
  private final BiPredicate<Integer, Integer> together;

  /** By assignment. */
  private final Map<Integer, Optional<Reduce<?>>> sums = new HashMap<>();

  /** From the first use on. */
  private Dependences dependences;

  /**
   * @param done assignments that run no more; those that are joined are noted here
   * @param together whether two may be in one kernel
   */
  SumsWithWriters(
      PlanBuilder plan,
      List<Recorder.Assigned> assigned,
      boolean[] done,
      BiPredicate<Integer, Integer> together) {
    this.together = together;
    this.plan = plan;
    this.assigned = assigned;
    this.done = done;
  }

  private Dependences dependences() {
    if (dependences == null) {
      dependences = new Dependences(plan, assigned, done);
    }
    return dependences;
  }

  /**
   * Makes a kernel of element-wise assignments of one shape, and of sums of theirs.
   *
   * @param from their numbers
   * @param but an assignment that is not for this kernel; -1 for none
   * @return false if there are no such sums
   */
  boolean join(Shape shape, List<Pair<?>> pairs, List<Integer> from, int but) {
    for (Pair<?> p : pairs) {
      for (int reader : dependences().readers(p.target().storage())) {
        boolean fits = reader > from.getLast() && reader != but;
        long columns = fits ? columns(reader, shape.size()) : 0;
        ColumnKernel kernel = columns == 0 ? null : ColumnKernel.of(plan, shape, columns);
        if (kernel != null) {
          List<List<Pair<?>>> first = new ArrayList<>();
          pairs.forEach(each -> first.add(List.of(each)));
          return new Search(kernel, first, from, but).run();
        }
      }
    }
    return false;
  }

  /** Makes a kernel of an assignment of sums, and of others that fit it; false if there is none. */
  boolean join(int assignment) {
    Reduce<?> r = sum(assignment);
    if (r == null) {
      return false;
    }
    Shape shape = r.inputs().get(0).shape();
    long columns = ColumnKernel.columns(r, shape.size());
    if (columns == 0) {
      return false;
    }
    List<Pair<?>> pairs = assigned.get(assignment).pairs();
    for (Pair<?> p : pairs) {
      for (int reader : dependences().readers(p.target().storage())) {
        Shape other = assigned.get(reader).pairs().get(0).target().shape();
        if (reader > assignment && other.size() == shape.size()) {
          ColumnKernel kernel = ColumnKernel.of(plan, other, columns);
          return kernel != null
              && new Search(kernel, List.of(pairs), List.of(assignment), -1).run();
        }
      }
    }
    ColumnKernel kernel = ColumnKernel.of(plan, shape, columns);
    return kernel != null && new Search(kernel, List.of(pairs), List.of(assignment), -1).run();
  }

  private long columns(int assignment, long elements) {
    Reduce<?> r = sum(assignment);
    return r == null ? 0 : ColumnKernel.columns(r, elements);
  }

  /** The first reduction of an assignment; null if there is none. */
  private Reduce<?> sum(int assignment) {
    return sums.computeIfAbsent(assignment, this::find).orElse(null);
  }

  private Optional<Reduce<?>> find(int assignment) {
    Set<Expr<?>> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    var open = new ArrayDeque<Expr<?>>();
    assigned.get(assignment).pairs().forEach(p -> open.add(p.expr()));
    while (!open.isEmpty()) {
      Expr<?> e = open.poll();
      if (e instanceof Reduce<?> r) {
        return Optional.of(r);
      }
      if (e instanceof RExpr<?> && !(e instanceof Tensor<?>) && seen.add(e)) {
        open.addAll(e.inputs());
      }
    }
    return Optional.empty();
  }

  /** For assignments that fit a kernel which begins with some. */
  private final class Search {
    private final ColumnKernel kernel;
    private final List<List<Pair<?>>> members;
    private final List<Integer> from;
    private final Set<Integer> taken;
    private final int but;
    private final TreeSet<Integer> open = new TreeSet<>();
    private Kernel.Row draft;

    Search(ColumnKernel kernel, List<List<Pair<?>>> first, List<Integer> from, int but) {
      this.but = but;
      this.kernel = kernel;
      this.members = new ArrayList<>(first);
      this.from = new ArrayList<>(from);
      this.taken = new HashSet<>(from);
      for (List<Pair<?>> pairs : first) {
        open(pairs, from.getLast());
        pairs.forEach(p -> openBeside(p.expr(), from.getLast()));
      }
    }

    /** Sums that read the same as one does. */
    private void openBeside(Expr<?> e, int after) {
      for (Tensor<?> t : ProgramPlanner.leaves(e)) {
        if (kernel.isOfElements(t.shape())) {
          open.addAll(
              dependences().readers(t.storage()).stream()
                  .filter(k -> k > after && sum(k) != null)
                  .toList());
        }
      }
    }

    private void open(List<Pair<?>> pairs, int after) {
      for (Pair<?> p : pairs) {
        open.addAll(
            dependences().readers(p.target().storage()).stream().filter(k -> k > after).toList());
      }
    }

    boolean run() {
      int first = from.get(0);
      int begun = from.size();
      while (!open.isEmpty()) {
        int next = open.pollFirst();
        if (next != but
            && !taken.contains(next)
            && together.test(first, next)
            && isNear(first, next)) {
          tryJoin(next, first);
        }
      }
      if (from.size() == begun || draft == null) {
        return false;
      }
      from.forEach(k -> done[k] = true);
      emit();
      return true;
    }

    private boolean isNear(int first, int next) {
      return sum(next) != null || dependences().between(first, next) - taken.size() <= NEAR;
    }

    private void tryJoin(int next, int first) {
      if (!dependences().canRunAfter(next, first, taken)) {
        return;
      }
      List<Pair<?>> pairs = assigned.get(next).pairs();
      members.add(pairs);
      Kernel.Row with = kernel.draft(members);
      if (with == null) {
        members.removeLast();
        return;
      }
      draft = with;
      from.add(next);
      taken.add(next);
      open(pairs, next);
    }

    private void emit() {
      var text = new StringBuilder();
      for (List<Pair<?>> pairs : members) {
        for (Pair<?> p : pairs) {
          text.append(text.isEmpty() ? "" : ", ")
              .append(plan.name(plan.number(p.target().storage())))
              .append(' ')
              .append(p.target().label())
              .append(" = ")
              .append(plan.describe(p.expr()));
        }
      }
      plan.executes(List.copyOf(from));
      plan.add(draft, text.toString());
      members.forEach(plan::assigned);
    }
  }
}
