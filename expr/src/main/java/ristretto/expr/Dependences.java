package ristretto.expr;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which recorded assignments read and write a piece of memory when they run. What an inlined one
 * reads, its readers read.
 */
final class Dependences {
  private final List<Recorder.Assigned> assigned;
  private final boolean[] done;
  private final PlanBuilder plan;
  private final Map<Storage, List<Integer>> readers = new IdentityHashMap<>();
  private final Map<Storage, List<Integer>> writers = new IdentityHashMap<>();

  /**
   * @param done those that run no more: they are inlined, or some kernel has made them already
   */
  Dependences(PlanBuilder plan, List<Recorder.Assigned> assigned, boolean[] done) {
    this.plan = plan;
    this.assigned = assigned;
    this.done = done;
    for (int k = 0; k < done.length; k++) {
      if (!done[k]) {
        for (Storage s : read(k)) {
          readers.computeIfAbsent(s, _ -> new ArrayList<>()).add(k);
        }
        for (Storage s : written(k)) {
          writers.computeIfAbsent(s, _ -> new ArrayList<>()).add(k);
        }
      }
    }
  }

  private Set<Storage> read(int assignment) {
    Set<Storage> all = Collections.newSetFromMap(new IdentityHashMap<>());
    var open = new ArrayList<Expr<?>>();
    assigned.get(assignment).pairs().forEach(p -> open.add(p.expr()));
    for (int k = 0; k < open.size(); k++) {
      for (Tensor<?> t : ProgramPlanner.leaves(open.get(k))) {
        Expr<?> deeper = plan.substitute(t);
        if (all.add(t.storage()) && deeper != null) {
          open.add(deeper);
        }
      }
    }
    return all;
  }

  private Set<Storage> written(int assignment) {
    Set<Storage> all = Collections.newSetFromMap(new IdentityHashMap<>());
    assigned.get(assignment).pairs().forEach(p -> all.add(p.target().storage()));
    return all;
  }

  /** Those still to run that read memory, in order. */
  List<Integer> readers(Storage s) {
    return readers.getOrDefault(s, List.of()).stream().filter(k -> !done[k]).toList();
  }

  /** How many are still to run between two. */
  int between(int from, int to) {
    int count = 0;
    for (int k = from + 1; k < to; k++) {
      count += done[k] ? 0 : 1;
    }
    return count;
  }

  /**
   * Whether an assignment does the same right after an earlier one, with which others run that come
   * in between.
   */
  boolean canRunAfter(int assignment, int earlier, Set<Integer> others) {
    for (Storage s : read(assignment)) {
      if (any(writers.get(s), earlier, assignment, others)) {
        return false;
      }
    }
    for (Storage s : written(assignment)) {
      if (any(writers.get(s), earlier, assignment, others)
          || any(readers.get(s), earlier, assignment, others)) {
        return false;
      }
    }
    return true;
  }

  private boolean any(List<Integer> all, int from, int to, Set<Integer> but) {
    if (all == null) {
      return false;
    }
    int at = Collections.binarySearch(all, from);
    for (int k = at < 0 ? -1 - at : at + 1; k < all.size() && all.get(k) < to; k++) {
      if (!done[all.get(k)] && !but.contains(all.get(k))) {
        return true;
      }
    }
    return false;
  }
}
