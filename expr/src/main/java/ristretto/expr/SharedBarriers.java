package ristretto.expr;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;

/**
 * Barriers that several recorded assignments read, and which of these may use one result: those of
 * one part and round between which nothing is written that the barrier reads.
 */
final class SharedBarriers {
  /** A barrier and the assignments that read it. */
  private record Shared(LExpr<?> expr, List<Integer> readers, List<Tensor<?>> reads) {}

  private final List<Recorder.Assigned> assigned;
  private final BiPredicate<Integer, Integer> together;
  private final Map<Storage, List<Integer>> writers = new IdentityHashMap<>();

  /** By assignment. */
  private final Map<Integer, List<Shared>> shared = new HashMap<>();

  /**
   * @param together true for assignments of one part and round
   */
  SharedBarriers(
      PlanBuilder plan, List<Recorder.Assigned> assigned, BiPredicate<Integer, Integer> together) {
    this.assigned = assigned;
    this.together = together;
    Map<LExpr<?>, List<Integer>> readers = new IdentityHashMap<>();
    for (int k = 0; k < assigned.size(); k++) {
      for (LExpr<?> barrier : barriers(assigned.get(k).pairs())) {
        readers.computeIfAbsent(barrier, _ -> new ArrayList<>()).add(k);
      }
      for (Pair<?> p : assigned.get(k).pairs()) {
        writers.computeIfAbsent(p.target().storage(), _ -> new ArrayList<>()).add(k);
      }
    }
    readers.forEach((barrier, all) -> {
      if (all.size() > 1) {
        var one = new Shared(barrier, all, plan.leaves(barrier));
        all.forEach(k -> shared.computeIfAbsent(k, _ -> new ArrayList<>()).add(one));
      }
    });
  }

  private static Set<LExpr<?>> barriers(List<Pair<?>> pairs) {
    Set<LExpr<?>> all = Collections.newSetFromMap(new IdentityHashMap<>());
    Set<Expr<?>> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    var open = new ArrayDeque<Expr<?>>();
    pairs.forEach(p -> open.add(p.expr()));
    while (!open.isEmpty()) {
      Expr<?> e = open.poll();
      if (seen.add(e)) {
        if (e instanceof LExpr<?> barrier) {
          all.add(barrier);
        }
        open.addAll(e.inputs());
      }
    }
    return all;
  }

  /**
   * The barriers of an assignment that must be in memory after it, because a later one reads them
   * and no target still holds them then.
   */
  Set<LExpr<?>> neededAfter(int assignment) {
    Set<LExpr<?>> needed = Collections.newSetFromMap(new IdentityHashMap<>());
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
          && together.test(assignment, reader)
          && s.reads.stream().noneMatch(t -> isWritten(t, assignment, reader))) {
        last = reader;
      }
    }
    return last;
  }

  /** True if the assignment is of the barrier itself to memory that stays so long. */
  private boolean isHeld(Shared s, int assignment, int last) {
    List<Pair<?>> pairs = assigned.get(assignment).pairs();
    Tensor<?> target = pairs.get(0).target();
    return pairs.size() == 1
        && Assignment.held(target, pairs.get(0).expr(), s.expr) != null
        && !isWritten(target, assignment + 1, last);
  }

  /** True if assignments of [from, to) write some of a tensor. */
  private boolean isWritten(Tensor<?> t, int from, int to) {
    for (int writer : writers.getOrDefault(t.storage(), List.of())) {
      if (from <= writer
          && writer < to
          && assigned.get(writer).pairs().stream().anyMatch(p -> overlap(p.target(), t))) {
        return true;
      }
    }
    return false;
  }

  private static boolean overlap(Tensor<?> a, Tensor<?> b) {
    return a.storage() == b.storage() && a.layout().map().mayOverlap(b.layout().map());
  }
}
