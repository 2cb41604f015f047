package ristretto.expr.plan;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import ristretto.expr.graph.Barrier.Reduce;
import ristretto.expr.graph.Constant;
import ristretto.expr.graph.Formula;
import ristretto.expr.graph.Formula.Copy;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.graph.View;
import ristretto.expr.index.IndexMap;
import ristretto.expr.index.ViewChain;
import ristretto.expr.plan.Fragments.Gathered;
import ristretto.expr.plan.Fragments.Hole;
import ristretto.expr.plan.Fragments.Position;
import ristretto.expr.plan.Fragments.Reshaped;
import ristretto.expr.plan.Fragments.Use;
import ristretto.expr.type.Shape;

/**
 * The reads of one kernel: each expression with all the ways it is read, the barriers among them,
 * and the values that must be in memory before the kernel can run.
 *
 * <p>Visits each expression once, after all expressions that read it: then all ways it is read are
 * known, and an expression that is to be stored reads nothing further. An expression is read in a
 * bounded number of ways, so the work grows with the size of the graph, not with its paths.
 */
final class Draft {
  /** An expression read at this many places times its weight is worth a temporary. */
  private static final int MOST_RECOMPUTED = 96;

  /** Weights saturate here. */
  private static final long HEAVIEST = 1 << 20;

  /**
   * An expression that a kernel computes for each point of its space.
   *
   * @param chain from the expression's shape to the target's
   * @param base from the target's shape to the kernel's space; null if they are equal
   */
  record Root(Term expr, ViewChain chain, ViewChain base) {
    /** An expression that is assigned to a target of a shape. */
    static Root of(Term expr, Shape target, ViewChain base) {
      return new Root(expr, ViewChain.expanding(expr.shape().longs(), target.longs(), null), base);
    }
  }

  /** A barrier and how it is read. */
  record Barrier(Term expr, ViewChain chain) implements Event {}

  /** Barrier, demand or visit that an expression depends on, in the order of its reads. */
  private sealed interface Event permits Barrier, Demand, Visit {}

  /** A value that must be in memory. */
  private record Demand(Term expr, Reason reason) implements Event {}

  private enum Way {
    DIRECT,
    RESHAPED,
    REDUCED
  }

  /** A way an expression is read; {@code base} is null below a reduction of the kernel. */
  private record Path(ViewChain chain, ViewChain base) {}

  /** A reader with the way it is read itself; null for a root. */
  private record Edge(Visit reader, Path path, Way way) {}

  /** An expression with all that is known about its readers. */
  private static final class Visit implements Event {
    final Term expr;
    final Map<Path, List<Edge>> paths = new LinkedHashMap<>();
    final List<Event> events = new ArrayList<>();
    int readers;
    long weight;
    boolean wasInMemory;
    boolean isDemanded;

    /** Launch scalars that it reads itself, for each way it is read. */
    int numbers;

    Visit(Term expr) {
      this.expr = expr;
    }

    /** True if the value went to memory after the draft was made. */
    boolean wasStored(PlanBuilder plan) {
      return !wasInMemory && plan.inMemory(expr) != null;
    }
  }

  private final PlanBuilder plan;
  private final RowSpace rows;
  private final List<Root> roots;
  private final Map<Term, Visit> visits = new IdentityHashMap<>();
  private final List<Visit> order = new ArrayList<>();
  private final Visit top = new Visit(null);

  /** Memory and launch scalars that the kernel reads. */
  private final Set<Object> operands = new HashSet<>();

  private boolean isClean = true;
  private boolean isViewable = true;
  private boolean gathers;
  private final boolean exceedsOperands;

  /**
   * Drafts a kernel.
   *
   * @param rows of a row kernel, which computes reductions over these rows itself; null for others
   */
  Draft(PlanBuilder plan, RowSpace rows, List<Root> roots) {
    this.plan = plan;
    this.rows = rows;
    this.roots = List.copyOf(roots);
    sortInputsFirst();
    order.forEach(this::weigh);
    roots.forEach(r -> read(new Use(r.expr, r.chain), r.base, new Edge(top, null, Way.DIRECT)));
    order.reversed().forEach(this::visit);
    int most = plan.context().device().mostOperands();
    exceedsOperands = operands.size() > most;
    if (exceedsOperands && isClean) {
      split(most);
    }
  }

  /**
   * Stores an expression that reads about half of the operands that a kernel may have, or as many
   * as there are.
   */
  private void split(int most) {
    var counts = new IdentityHashMap<Term, Integer>();
    Visit best = null;
    int bestCount = 1;
    for (Visit v : order) {
      int count = v.paths.isEmpty() ? 0 : v.numbers + (isLeaf(v) ? 1 : 0);
      for (Term in : below(v.expr)) {
        count = Math.min(most, count + counts.get(in));
      }
      counts.put(v.expr, count);
      if (count > bestCount && isWorthSplitting(v)) {
        best = v;
        bestCount = count;
        if (count >= most / 2) {
          break;
        }
      }
    }
    if (best != null) {
      demand(best, best.expr, Reason.OPERANDS);
    }
  }

  private boolean isLeaf(Visit v) {
    return v.wasInMemory || v.expr.memory() != null && plan.substitute(v.expr.memory()) == null;
  }

  private boolean isWorthSplitting(Visit v) {
    Term e = v.expr;
    return !v.paths.isEmpty()
        && isStorable(e)
        && !(e.operation() instanceof View)
        && roots.stream().noneMatch(r -> r.expr == e);
  }

  /** Barriers in the order in which expressions read them. */
  List<Barrier> barriers() {
    var barriers = new ArrayList<Barrier>();
    var open = new ArrayDeque<Event>();
    Set<Event> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    open.push(top);
    while (!open.isEmpty()) {
      switch (open.pop()) {
        case Barrier b -> barriers.add(b);
        case Demand _ -> {}
        case Visit v -> {
          if (seen.add(v)) {
            v.events.reversed().forEach(open::push);
          }
        }
      }
    }
    return barriers;
  }

  /** True if the kernel can be built with what is in memory. */
  boolean isClean() {
    return isClean && isViewable;
  }

  /**
   * Stores what the kernel needs in memory, and drafts again where that changes what else is worth
   * storing.
   *
   * @return null if an expression has no index map over the kernel's space
   */
  Draft settle() {
    Draft draft = this;
    while (draft.isViewable && !draft.isClean) {
      draft.store(draft.top, Collections.newSetFromMap(new IdentityHashMap<>()));
      if (draft.isCurrent()) {
        return draft;
      }
      draft = new Draft(plan, rows, roots);
    }
    return draft.isViewable ? draft : null;
  }

  // Reads

  private void visit(Visit v) {
    if (isRead(v.expr)) {
      // Readers of an inlined temporary read what it is computed from.
      below(v.expr).forEach(in -> visits.get(in).readers += v.readers - 1);
    }
    StorageView memory = plan.inMemory(v.expr);
    v.wasInMemory = memory != null;
    if (v.paths.isEmpty()) {
      return;
    }
    if (isWorthStoring(v)) {
      plan.recomputeNoMore(v.expr);
      demand(v, v.expr, Reason.RECOMPUTED);
      return;
    }
    for (Path path : List.copyOf(v.paths.keySet())) {
      if (memory != null) {
        operands.add(memory.storage());
        requireMap(v, path, path.chain, memory.map());
      } else {
        visit(v, path);
      }
    }
  }

  private void visit(Visit v, Path path) {
    var use = new Use(v.expr, path.chain);
    switch (v.expr.operation()) {
      case StorageView m -> {
        Term substitute = plan.substitute(m);
        if (substitute == null) {
          operands.add(m.storage());
          requireMap(v, path, path.chain, m.map());
        } else {
          read(new Use(substitute, path.chain), path.base, new Edge(v, path, Way.DIRECT));
        }
      }
      case Formula f -> plan.fragments().of(f, use).holes().forEach(hole -> visit(hole, v, path));
      case ristretto.expr.graph.Barrier _ -> {
        Term l = v.expr;
        if (rows != null && rows.reduces(l, path.chain, path.base)) {
          var input = new Use(l.operand(0), rows.inputChain(l));
          read(input, null, new Edge(v, path, Way.REDUCED));
        } else {
          v.events.add(new Barrier(l, path.chain));
          demand(v, l, Reason.BARRIER);
        }
      }
    }
  }

  private void visit(Hole hole, Visit v, Path path) {
    switch (hole) {
      case Use use -> read(use, path.base, new Edge(v, path, Way.DIRECT));
      case Reshaped below -> read(below.use(), path.base, new Edge(v, path, Way.RESHAPED));
      case Position p -> requireMap(v, path, p.chain(), p.numbering());
      case Fragments.Number n -> {
        operands.add(n);
        v.numbers++;
      }
      case Gathered g -> {
        StorageView source = stored(v, g.source());
        StorageView index = stored(v, g.index());
        if (source != null && index != null) {
          operands.add(source.storage());
          operands.add(index.storage());
          requireMap(v, path, path.chain, g.sourceMap(source, index));
          requireMap(v, path, path.chain, g.indexMap(index));
        }
      }
    }
  }

  private void read(Use use, ViewChain base, Edge reader) {
    plan.visited(1);
    Visit v = visits.get(use.expr());
    reader.reader.events.add(v);
    v.paths.computeIfAbsent(new Path(use.chain(), base), _ -> new ArrayList<>(1)).add(reader);
  }

  private StorageView stored(Visit v, Term e) {
    StorageView known = plan.asMemory(e);
    if (known == null) {
      gathers = true;
      demand(v, e, Reason.GATHERED);
    }
    return known;
  }

  private void demand(Visit at, Term e, Reason reason) {
    isClean = false;
    operands.add(e);
    Visit v = visits.get(e);
    if (v != null && reason != Reason.GATHERED) {
      v.isDemanded = true;
    }
    at.events.add(new Demand(e, reason));
  }

  /** Stores the expression below the nearest reshape if a value has no index map. */
  private void requireMap(Visit v, Path path, ViewChain chain, IndexMap map) {
    if (apply(chain, path.base, map) == null) {
      storeBelowReshape(v, v, path, new HashSet<>());
    }
  }

  private IndexMap apply(ViewChain chain, ViewChain base, IndexMap map) {
    plan.visited(ViewChain.length(chain));
    return ViewChain.apply(chain, base, map);
  }

  private record Place(Visit visit, Path path) {}

  private void storeBelowReshape(Visit at, Visit v, Path path, Set<Place> seen) {
    if (!seen.add(new Place(v, path))) {
      return;
    }
    for (Edge edge : v.paths.get(path)) {
      Term stored =
          switch (edge.way) {
            case DIRECT -> null;
            case RESHAPED -> v.expr;
            // A kernel that is there to reduce stores what it reduces, others the result.
            case REDUCED -> plan.isActive(edge.reader.expr) ? v.expr : edge.reader.expr;
          };
      if (stored != null && plan.inMemory(stored) == null) {
        demand(at, stored, Reason.RESHAPE);
      } else if (edge.path == null) {
        isViewable = false;
      } else {
        storeBelowReshape(at, edge.reader, edge.path, seen);
      }
    }
  }

  // Memory

  /**
   * Stores what an expression needs.
   *
   * @return true if some expression was stored that is read through this one, so that this one is
   *     not needed any more
   */
  private boolean store(Visit v, Set<Visit> seen) {
    for (Event event : v.events) {
      boolean skips =
          switch (event) {
            case Barrier _ -> false;
            case Visit below -> !below.wasStored(plan) && seen.add(below) && store(below, seen);
            case Demand d -> {
              plan.store(d.expr, d.reason);
              yield d.reason == Reason.RESHAPE;
            }
          };
      if (skips) {
        return !v.wasStored(plan);
      }
    }
    return false;
  }

  /** True if the draft holds with what is in memory now. */
  boolean isCurrent() {
    return !gathers && !exceedsOperands && order.stream().allMatch(this::isCurrent);
  }

  private boolean isCurrent(Visit v) {
    if (v.paths.isEmpty() || v.wasInMemory) {
      return true;
    }
    StorageView memory = plan.inMemory(v.expr);
    if (memory == null) {
      return !v.isDemanded && !isWorthStoring(v);
    }
    return v.isDemanded
        && v.paths.keySet().stream().allMatch(p -> apply(p.chain, p.base, memory.map()) != null);
  }

  private boolean isWorthStoring(Visit v) {
    Term e = v.expr;
    if (!isStorable(e)) {
      return false;
    }
    if (plan.tooOftenRecomputed(e)) {
      return true;
    }
    int before = plan.kernelsWith(e);
    long times = v.paths.size() + before;
    return v.readers + before >= 2 && times > 2 && times * v.weight > MOST_RECOMPUTED;
  }

  /** Returns true for expressions that the kernel computes and may read from memory instead. */
  private boolean isStorable(Term e) {
    return !e.isBarrier()
        && !isRead(e)
        && !e.operands().isEmpty()
        && plan.inMemory(e) == null
        && !plan.isActive(e);
  }

  // Order

  /** Finds the operations needed for one element, views and leaves excluded. */
  private void weigh(Visit v) {
    Term e = v.expr;
    boolean inMemory = plan.inMemory(e) != null || plan.tooOftenRecomputed(e);
    boolean isFree =
        e.operation() instanceof View || e.operation() instanceof Constant || isRead(e);
    if (!inMemory && !isFree) {
      v.weight = 1;
    }
    if (!e.isBarrier()) {
      below(e).forEach(in -> v.weight = Math.min(HEAVIEST, v.weight + visits.get(in).weight));
    }
  }

  /** All that may be read, each after what it reads, with the number of its readers. */
  private void sortInputsFirst() {
    var open = new ArrayDeque<Term>();
    Set<Term> opened = Collections.newSetFromMap(new IdentityHashMap<>());
    roots.forEach(r -> open.push(r.expr));
    while (!open.isEmpty()) {
      Term e = open.peek();
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
  }

  /** The expressions that a kernel with {@code e} may read in its place. */
  private List<Term> below(Term e) {
    if (plan.inMemory(e) != null || plan.tooOftenRecomputed(e)) {
      return List.of();
    }
    if (e.memory() != null) {
      Term substitute = plan.substitute(e.memory());
      return substitute == null ? List.of() : List.of(substitute);
    }
    return e.isBarrier() && (rows == null || !(e.operation() instanceof Reduce))
        ? List.of()
        : e.operands();
  }

  /** Returns true for memory and its copying reshapes. */
  private static boolean isRead(Term e) {
    return e.memory() != null || e.operation() instanceof Copy;
  }
}
