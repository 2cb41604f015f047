package ristretto.expr.plan;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.memory.Storage;
import ristretto.expr.recording.Update;

/**
 * Barriers that several recorded assignments read, and which of these may use one result: those of
 * one part and round between which nothing is written that the barrier reads.
 */
final class SharedBarriers {
  /** A barrier and the assignments that read it. */
  private record Shared(Term expr, List<Integer> readers, List<StorageView> reads) {}

  private final List<Step.Assign> assigned;
  private final Schedule schedule;
  private final Map<Step.Assign, Integer> positions = new IdentityHashMap<>();
  private final Map<Storage, List<Integer>> writers = new IdentityHashMap<>();

  /** By assignment. */
  private final Map<Integer, List<Shared>> shared = new HashMap<>();

  SharedBarriers(Schedule schedule) {
    this.schedule = schedule;
    this.assigned = schedule.recorded();
    if (assigned.size() < 2) {
      return;
    }
    assigned.forEach(a -> positions.put(a, positions.size()));
    Map<Term, List<Integer>> readers = new IdentityHashMap<>();
    for (int k = 0; k < assigned.size(); k++) {
      for (Term barrier : barriers(assigned.get(k).pairs())) {
        readers.computeIfAbsent(barrier, _ -> new ArrayList<>()).add(k);
      }
      for (Update p : assigned.get(k).pairs()) {
        writers.computeIfAbsent(p.target().storage(), _ -> new ArrayList<>()).add(k);
      }
    }
    readers.forEach((barrier, all) -> {
      if (all.size() > 1) {
        var one = new Shared(barrier, all, Leaves.read(schedule.plan(), barrier));
        all.forEach(k -> shared.computeIfAbsent(k, _ -> new ArrayList<>()).add(one));
      }
    });
  }

  private static Set<Term> barriers(List<Update> pairs) {
    Set<Term> all = Collections.newSetFromMap(new IdentityHashMap<>());
    Set<Term> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    var open = new ArrayDeque<Term>();
    pairs.forEach(p -> open.add(p.expr()));
    while (!open.isEmpty()) {
      Term e = open.poll();
      if (seen.add(e)) {
        if (e.isBarrier()) {
          all.add(e);
        }
        open.addAll(e.operands());
      }
    }
    return all;
  }

  /**
   * The barriers of an assignment that must be in memory after it, because a later one reads them
   * and no target still holds them then.
   */
  Set<Term> neededAfter(Step.Assign a) {
    int assignment = positions.getOrDefault(a, -1);
    Set<Term> needed = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Shared s : shared.getOrDefault(assignment, List.of())) {
      int next = nextReader(s, assignment);
      if (next >= 0 && !isHeld(s, assignment, next)) {
        needed.add(s.expr);
      }
    }
    return needed;
  }

  /** The last assignment that can use the result of this one; -1 for none. */
  private int nextReader(Shared s, int assignment) {
    int last = -1;
    for (int reader : s.readers) {
      if (reader > assignment
          && schedule.areInOneRegion(assigned.get(assignment), assigned.get(reader))
          && s.reads.stream().noneMatch(t -> isWritten(t, assignment, reader))) {
        last = reader;
      }
    }
    return last;
  }

  /** True if the assignment is of the barrier itself to memory that stays so long. */
  private boolean isHeld(Shared s, int assignment, int last) {
    List<Update> pairs = assigned.get(assignment).pairs();
    StorageView target = pairs.get(0).target();
    return pairs.size() == 1
        && AssignmentLowering.held(target, pairs.get(0).expr(), s.expr) != null
        && !isWritten(target, assignment + 1, last);
  }

  /** True if assignments of [from, to) write some of a tensor. */
  private boolean isWritten(StorageView t, int from, int to) {
    for (int writer : writers.getOrDefault(t.storage(), List.of())) {
      if (from <= writer
          && writer < to
          && assigned.get(writer).pairs().stream().anyMatch(p -> p.target().mayOverlap(t))) {
        return true;
      }
    }
    return false;
  }
}
