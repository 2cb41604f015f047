package ristretto.expr.plan;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.graph.Traversal;
import ristretto.expr.memory.Storage;
import ristretto.expr.recording.Update;

/**
 * Inlines element-wise temporaries into their readers: one reader, or several if the expression is
 * cheap to recompute.
 *
 * <p>Assumes the assignments of a recording in order. Guarantees that the tables of the plan name
 * the expression of each temporary whose assignment is dropped. Runs first, because later passes
 * decide on what remains to be written.
 */
final class InlineTemporaries implements Pass {
  /** Maximal number of expressions that several readers of a temporary recompute. */
  private static final int MOST_REPEATED = 32;

  @Override
  public Schedule apply(Schedule schedule) {
    return schedule.steps().size() < 2 ? schedule : new Run(schedule).result();
  }

  private static final class Run {
    private final Schedule schedule;
    private final PlanBuilder plan;
    private final List<Step.Assign> assigned;

    /** Tensors named by each assignment. */
    private final List<List<StorageView>> leaves = new ArrayList<>();

    /** Assignments that read and write each storage, in order. */
    private final Map<Storage, List<Integer>> readers = new IdentityHashMap<>();

    private final Map<Storage, List<Integer>> writers = new IdentityHashMap<>();

    Run(Schedule schedule) {
      this.schedule = schedule;
      this.plan = schedule.plan();
      this.assigned = schedule.assignments();
      for (int k = 0; k < assigned.size(); k++) {
        var all = new ArrayList<StorageView>();
        for (Update p : assigned.get(k).pairs()) {
          all.addAll(Traversal.leaves(p.expr()));
          add(writers, p.target().storage(), k);
        }
        for (StorageView t : all) {
          add(readers, t.storage(), k);
        }
        leaves.add(all);
      }
    }

    private static void add(Map<Storage, List<Integer>> all, Storage s, int assignment) {
      List<Integer> list = all.computeIfAbsent(s, _ -> new ArrayList<>());
      if (list.isEmpty() || list.getLast() != assignment) {
        list.add(assignment);
      }
    }

    Schedule result() {
      Set<Step> inlined = Collections.newSetFromMap(new IdentityHashMap<>());
      for (int k = 0; k < assigned.size(); k++) {
        if (inline(k)) {
          inlined.add(assigned.get(k));
        }
      }
      return inlined.isEmpty() ? schedule : schedule.with(without(inlined, schedule.steps()));
    }

    private static List<Step> without(Set<Step> inlined, List<Step> steps) {
      var rest = new ArrayList<Step>();
      for (Step step : steps) {
        if (step instanceof Step.Loop loop) {
          List<Step> body = without(inlined, loop.body());
          if (!body.isEmpty()) {
            rest.add(loop.with(body));
          }
        } else if (!inlined.contains(step)) {
          rest.add(step);
        }
      }
      return rest;
    }

    private boolean inline(int k) {
      Step.Assign a = assigned.get(k);
      Update p = a.pairs().get(0);
      if (!a.fresh()
          || !(p.target().storage() instanceof Storage.Planned s)
          || writers.get(s).size() != 1
          || !isElementwise(p.expr())) {
        return false;
      }
      List<Integer> later =
          readers.getOrDefault(s, List.of()).stream().filter(reader -> reader > k).toList();
      boolean inlines =
          (later.size() <= 1 || isCheap(p.expr()))
              && readWhole(s, p.expr(), later)
              && areInOneRegion(a, later)
              && !isOverwritten(p.expr(), k, later);
      if (inlines) {
        plan.substitute(s, p.expr());
      }
      return inlines;
    }

    private static boolean isElementwise(Term e) {
      boolean[] result = {true};
      Traversal.visit(e, Term::operands, x -> result[0] &= !x.isBarrier());
      return result[0];
    }

    private boolean isCheap(Term e) {
      return e.depth() <= 2 && Leaves.count(plan, e) <= MOST_REPEATED;
    }

    /** Returns true if readers read the whole temporary in the shape of its expression. */
    private boolean readWhole(Storage s, Term defined, List<Integer> later) {
      for (int reader : later) {
        for (StorageView t : leaves.get(reader)) {
          if (t.storage() == s && !PlanBuilder.isWhole(t, defined)) {
            return false;
          }
        }
      }
      return true;
    }

    /** Values computed before a loop may be inlined into it, values of an iteration only there. */
    private boolean areInOneRegion(Step.Assign a, List<Integer> later) {
      if (later.isEmpty()) {
        return true;
      }
      Step.Assign last = assigned.get(later.getLast());
      return plan.part(a.number()) == plan.part(last.number())
          && (a.round() == 0
              || a.round() == assigned.get(later.get(0)).round() && a.round() == last.round());
    }

    /**
     * Returns true if what {@code e} reads, through inlined temporaries too, is written before its
     * last reader.
     */
    private boolean isOverwritten(Term e, int from, List<Integer> later) {
      int last = later.isEmpty() ? from : later.getLast();
      return Leaves.read(plan, e).stream()
          .flatMap(t -> writers.getOrDefault(t.storage(), List.of()).stream())
          .anyMatch(writer -> from < writer && writer < last);
    }
  }
}
