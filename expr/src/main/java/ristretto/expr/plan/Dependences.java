package ristretto.expr.plan;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import ristretto.expr.memory.Storage;
import ristretto.expr.recording.Update;

/**
 * Reads and writes of assignments, which are known by their positions in a list. Readers of an
 * inlined temporary read what its expression reads.
 */
final class Dependences {
  private final PlanBuilder plan;
  private final List<Step.Assign> assigned;
  private final BitSet done;
  private final Map<Storage, List<Integer>> readers = new IdentityHashMap<>();
  private final Map<Storage, List<Integer>> writers = new IdentityHashMap<>();

  /**
   * Collects the accesses.
   *
   * @param done positions of assignments that an earlier kernel executes, now or later
   */
  Dependences(PlanBuilder plan, List<Step.Assign> assigned, BitSet done) {
    this.plan = plan;
    this.assigned = assigned;
    this.done = done;
    for (int k = 0; k < assigned.size(); k++) {
      for (Storage s : read(k)) {
        readers.computeIfAbsent(s, _ -> new ArrayList<>()).add(k);
      }
      for (Storage s : written(k)) {
        writers.computeIfAbsent(s, _ -> new ArrayList<>()).add(k);
      }
    }
  }

  private Set<Storage> read(int assignment) {
    Set<Storage> all = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Update p : assigned.get(assignment).pairs()) {
      Leaves.read(plan, p.expr()).forEach(t -> all.add(t.storage()));
    }
    return all;
  }

  private Set<Storage> written(int assignment) {
    Set<Storage> all = Collections.newSetFromMap(new IdentityHashMap<>());
    assigned.get(assignment).pairs().forEach(p -> all.add(p.target().storage()));
    return all;
  }

  /** Positions of the assignments still to be executed that read memory, in order. */
  List<Integer> readers(Storage s) {
    return readers.getOrDefault(s, List.of()).stream().filter(k -> !done.get(k)).toList();
  }

  /** Number of assignments between two that are still to be executed. */
  int between(int from, int to) {
    return to - from - 1 - done.get(from + 1, to).cardinality();
  }

  /**
   * Returns true if an assignment has the same effect directly after an earlier one.
   *
   * @param moved assignments in between that are executed with the earlier one
   */
  boolean canRunAfter(int assignment, int earlier, Set<Integer> moved) {
    for (Storage s : read(assignment)) {
      if (any(writers.get(s), earlier, assignment, moved)) {
        return false;
      }
    }
    for (Storage s : written(assignment)) {
      if (any(writers.get(s), earlier, assignment, moved)
          || any(readers.get(s), earlier, assignment, moved)) {
        return false;
      }
    }
    return true;
  }

  private boolean any(List<Integer> all, int from, int to, Set<Integer> except) {
    if (all == null) {
      return false;
    }
    int at = Collections.binarySearch(all, from);
    for (int k = at < 0 ? -1 - at : at + 1; k < all.size() && all.get(k) < to; k++) {
      if (!done.get(all.get(k)) && !except.contains(all.get(k))) {
        return true;
      }
    }
    return false;
  }
}
