package ristretto.expr;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The first look at what an assignment reads: its barriers with the way each is read, and the
 * shared expressions that would be recomputed so often that a temporary is cheaper. Such a one is
 * chosen, the outermost first, and the survey made again with it in memory, until nothing is
 * recomputed too often.
 */
final class Survey {
  /** An expression read at this many places times its weight is worth a temporary. */
  private static final int MOST_RECOMPUTED = 96;

  /** A barrier and how it is read. */
  record Barrier(LExpr<?> expr, ViewChain chain) {}

  private final PlanBuilder plan;
  private final RowSpace rows;
  private final List<Barrier> barriers = new ArrayList<>();
  private final Map<Expr<?>, Set<ViewChain>> uses = new IdentityHashMap<>();
  private final Map<Expr<?>, Integer> readers = new IdentityHashMap<>();
  private Expr<?> worst;
  private boolean clean;

  Survey(PlanBuilder plan) {
    this(plan, null);
  }

  /** Of what a kernel over {@code rows} reads: reductions over these are no barriers there. */
  Survey(PlanBuilder plan, RowSpace rows) {
    this.plan = plan;
    this.rows = rows;
  }

  /** The rows of the kernel; null if there are none. */
  RowSpace rows() {
    return rows;
  }

  /** Surveys assignments of one shape. */
  void run(List<Pair<?>> pairs) {
    run(pairs, null);
  }

  /**
   * Surveys assignments of one shape.
   *
   * @param from from that shape to the kernel's space
   */
  void run(List<Pair<?>> pairs, ViewChain from) {
    for (Pair<?> p : pairs) {
      countReaders(p.expr());
    }
    do {
      worst = null;
      barriers.clear();
      uses.clear();
      Lowering lowering = Lowering.forSurvey(plan, this);
      for (Pair<?> p : pairs) {
        lowering.read(p.expr(), ViewChain.expanding(p.expr().shape(), p.target().shape(), from));
      }
      if (worst != null) {
        plan.recomputeNoMore(worst);
      }
      clean = lowering.isClean();
    } while (worst != null);
  }

  List<Barrier> barriers() {
    return barriers;
  }

  /** Whether nothing that was read needs memory of its own. */
  boolean isClean() {
    return clean;
  }

  void barrier(LExpr<?> barrier, ViewChain chain) {
    barriers.add(new Barrier(barrier, chain));
  }

  /** Notes that {@code e} is read through {@code chain}; true if it will be read from memory. */
  boolean use(Expr<?> e, ViewChain chain) {
    if (plan.isActive(e) || e.inputs().isEmpty()) {
      return false;
    }
    if (plan.tooOftenRecomputed(e)) {
      return true;
    }
    if (readers.getOrDefault(e, 1) < 2) {
      return false;
    }
    Set<ViewChain> chains = uses.computeIfAbsent(e, _ -> new HashSet<>());
    chains.add(chain);
    long weight = plan.weight(e);
    if (chains.size() > 2 && chains.size() * weight > MOST_RECOMPUTED) {
      if (worst == null || weight > plan.weight(worst)) {
        worst = e;
      }
      return true;
    }
    return false;
  }

  private void countReaders(Expr<?> root) {
    var open = new ArrayDeque<Expr<?>>();
    var seen = Collections.newSetFromMap(new IdentityHashMap<Expr<?>, Boolean>());
    open.add(root);
    while (!open.isEmpty()) {
      Expr<?> e = open.poll();
      if (seen.add(e)) {
        for (Expr<?> in : e.inputs()) {
          readers.merge(in, 1, Integer::sum);
          open.add(in);
        }
      }
    }
  }
}
