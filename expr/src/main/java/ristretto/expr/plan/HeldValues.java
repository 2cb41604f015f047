package ristretto.expr.plan;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.memory.Storage;

/**
 * Expressions whose values are in memory. A value is forgotten once its memory or an operand of its
 * expression is written.
 */
final class HeldValues {
  private final Map<Term, StorageView> memory = new IdentityHashMap<>();

  /** Memory that each expression reads; missing for those of {@link #fresh}. */
  private final Map<Term, List<StorageView>> sources = new IdentityHashMap<>();

  /** Expressions whose memory or operands are in a storage, and some that are forgotten. */
  private final Map<Storage, Set<Term>> touching = new IdentityHashMap<>();

  /** Expressions that came since the last write. */
  private final List<Term> fresh = new ArrayList<>();

  /** Expressions that are forgotten after each assignment: all but barriers. */
  private final List<Term> passing = new ArrayList<>();

  /** Memory of a value; null if the value is not in memory. */
  StorageView get(Term e) {
    return memory.get(e);
  }

  void put(Term e, StorageView t) {
    memory.put(e, t);
    fresh.add(e);
    if (!e.isBarrier()) {
      passing.add(e);
    }
  }

  void forget(Term e) {
    memory.remove(e);
    sources.remove(e);
  }

  void forgetAll() {
    memory.clear();
    sources.clear();
    touching.clear();
    fresh.clear();
    passing.clear();
  }

  /** Forgets all values but those of barriers. */
  void forgetPassing() {
    passing.forEach(this::forget);
    passing.clear();
  }

  /**
   * Forgets values whose memory or operands overlap a target that was written.
   *
   * @param read memory that an expression reads
   */
  void written(StorageView to, Function<Term, List<StorageView>> read) {
    for (Term e : fresh) {
      StorageView held = memory.get(e);
      if (held != null) {
        List<StorageView> all = sources.computeIfAbsent(e, read);
        touch(held, e);
        all.forEach(t -> touch(t, e));
      }
    }
    fresh.clear();
    Set<Term> some = touching.get(to.storage());
    if (some != null) {
      some.removeIf(e -> isOver(e, to));
    }
  }

  private void touch(StorageView t, Term e) {
    touching
        .computeIfAbsent(t.storage(), _ -> Collections.newSetFromMap(new IdentityHashMap<>()))
        .add(e);
  }

  /** Forgets a value that a write to {@code to} ends; returns true if it is forgotten. */
  private boolean isOver(Term e, StorageView to) {
    StorageView held = memory.get(e);
    if (held == null) {
      return true;
    }
    if (held.mayOverlap(to) || sources.get(e).stream().anyMatch(t -> t.mayOverlap(to))) {
      forget(e);
      return true;
    }
    return false;
  }
}
