package ristretto.expr;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The first look at what an assignment reads: its barriers with the way each is read, and the
 * shared expressions that would be recomputed so often that a temporary is cheaper.
 *
 * <p>Visits each expression once, after all expressions that read it: then all ways it is read are
 * known, and an expression that is to be stored reads nothing further. An expression is read in a
 * bounded number of ways, so the work grows with the size of the graph, not with its paths.
 */
final class Survey {
  /** An expression read at this many places times its weight is worth a temporary. */
  private static final int MOST_RECOMPUTED = 96;

  /** Weights saturate here. */
  private static final long HEAVIEST = 1 << 20;

  /** A barrier and how it is read. */
  record Barrier(LExpr<?> expr, ViewChain chain) {}

  /** An expression that a kernel reads from its own space. */
  record Root(Expr<?> expr, ViewChain chain) {
    /**
     * An expression that is assigned.
     *
     * @param from from the target's shape to the kernel's space
     */
    static Root of(Expr<?> expr, Shape target, ViewChain from) {
      return new Root(expr, ViewChain.expanding(expr.shape(), target, from));
    }
  }

  /** An expression with all that is known about its readers. */
  private static final class Visit {
    final Expr<?> expr;
    final Set<ViewChain> chains = new LinkedHashSet<>();
    final Set<Visit> reads = new LinkedHashSet<>();
    final List<Barrier> barriers = new ArrayList<>();
    int readers;
    long weight;

    Visit(Expr<?> expr) {
      this.expr = expr;
    }
  }

  private final PlanBuilder plan;
  private final RowSpace rows;
  private final List<Barrier> barriers = new ArrayList<>();
  private final Map<Expr<?>, Visit> visits = new IdentityHashMap<>();
  private Visit current;
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

  /** Surveys expressions that one kernel reads. */
  void run(List<Root> roots) {
    barriers.clear();
    visits.clear();
    clean = true;
    List<Visit> order = inputsFirst(roots);
    order.forEach(this::weigh);
    Lowering lowering = Lowering.forSurvey(plan, this);
    current = new Visit(null);
    Visit root = current;
    roots.forEach(r -> read(r.expr, r.chain));
    for (Visit v : order.reversed()) {
      current = v;
      if (v.expr instanceof Tensor<?>) {
        // Readers of an inlined temporary read what it is computed from.
        below(v.expr).forEach(in -> visits.get(in).readers += v.readers - 1);
      }
      boolean stored = !v.chains.isEmpty() && isStored(v);
      clean &= !stored;
      if (!stored) {
        v.chains.forEach(chain -> lowering.survey(v.expr, chain));
      }
    }
    collectBarriers(root);
  }

  /** Barriers in the order in which expressions read them. */
  List<Barrier> barriers() {
    return barriers;
  }

  /** Whether nothing that was read needs memory of its own. */
  boolean isClean() {
    return clean;
  }

  // For Lowering

  /** Notes that the current expression reads {@code e} through {@code chain}. */
  void read(Expr<?> e, ViewChain chain) {
    plan.visited(1);
    Visit v = visits.get(e);
    current.reads.add(v);
    v.chains.add(chain);
  }

  void barrier(LExpr<?> barrier, ViewChain chain) {
    clean = false;
    current.barriers.add(new Barrier(barrier, chain));
  }

  /** Notes that something that was read must be in memory. */
  void needsMemory() {
    clean = false;
  }

  // Shared expressions

  private boolean isStored(Visit v) {
    Expr<?> e = v.expr;
    if (!(e instanceof RExpr<?>)
        || e instanceof Tensor<?>
        || e.inputs().isEmpty()
        || plan.inMemory(e) != null
        || plan.isActive(e)) {
      return false;
    }
    if (plan.tooOftenRecomputed(e)) {
      return true;
    }
    int before = plan.kernelsWith(e);
    long times = v.chains.size() + before;
    if (v.readers + before < 2 || times <= 2 || times * v.weight <= MOST_RECOMPUTED) {
      return false;
    }
    plan.recomputeNoMore(e);
    return true;
  }

  /** Finds the operations needed for one element, views and leaves excluded. */
  private void weigh(Visit v) {
    Expr<?> e = v.expr;
    boolean inMemory = plan.inMemory(e) != null || plan.tooOftenRecomputed(e);
    if (!inMemory && !(e instanceof View<?> || e instanceof Scalars<?> || e instanceof Tensor<?>)) {
      v.weight = 1;
    }
    if (e instanceof RExpr<?>) {
      below(e).forEach(in -> v.weight = Math.min(HEAVIEST, v.weight + visits.get(in).weight));
    }
  }

  /** All that may be read, each after what it reads, with the number of its readers. */
  private List<Visit> inputsFirst(List<Root> roots) {
    var order = new ArrayList<Visit>();
    var open = new ArrayDeque<Expr<?>>();
    Set<Expr<?>> opened = Collections.newSetFromMap(new IdentityHashMap<>());
    roots.forEach(r -> open.push(r.expr));
    while (!open.isEmpty()) {
      Expr<?> e = open.peek();
      if (opened.add(e)) {
        plan.visited(1);
        below(e).stream().filter(in -> !opened.contains(in)).forEach(open::push);
      } else {
        open.pop();
        if (!visits.containsKey(e)) {
          var visit = new Visit(e);
          visits.put(e, visit);
          order.add(visit);
          below(e).forEach(in -> visits.get(in).readers++);
        }
      }
    }
    return order;
  }

  /** The expressions that a kernel with {@code e} may read in its place. */
  private List<? extends Expr<?>> below(Expr<?> e) {
    if (plan.inMemory(e) != null || plan.tooOftenRecomputed(e)) {
      return List.of();
    }
    if (e instanceof Tensor<?> t && !t.isCopy()) {
      Expr<?> substitute = plan.substitute(t);
      return substitute == null ? List.of() : List.of(substitute);
    }
    return e instanceof LExpr<?> && (rows == null || !(e instanceof Reduce<?>))
        ? List.of()
        : e.inputs();
  }

  private void collectBarriers(Visit root) {
    var open = new ArrayDeque<Visit>();
    Set<Visit> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    open.push(root);
    while (!open.isEmpty()) {
      Visit v = open.pop();
      if (seen.add(v)) {
        barriers.addAll(v.barriers);
        List.copyOf(v.reads).reversed().forEach(open::push);
      }
    }
  }
}
