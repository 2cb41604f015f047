package ristretto.expr.program;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.memory.PlanContext;
import ristretto.expr.memory.Storage;
import ristretto.expr.plan.ExprKey;
import ristretto.expr.plan.LargeStack;
import ristretto.expr.plan.PlanBuilder;
import ristretto.expr.plan.Planner;
import ristretto.expr.plan.Schedule;
import ristretto.expr.recording.Update;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.debug.Passes;

/**
 * Plans of the assignments of a context, by the structure of their expressions. Plans assignments
 * that are new and runs the others without planning. Callers hold the lock of the context.
 */
public final class PlanCache {
  /** Capacity, with least recently used eviction; plans are small and share their kernels. */
  private static final int MOST_PLANS = 2048;

  /** Expressions whose repetitions are kept, as a power of two. */
  private static final int REPEATED_BITS = 10;

  private final PlanContext context;
  private final Consumer<PlanBuilder> planned;
  private final Map<Object, CompiledPlan> plans = new LinkedHashMap<>(64, 0.75f, true);
  private final ExprKey ownKey = new ExprKey();
  private boolean keyInUse;

  /** Last repeated assignments, by the identity hash of the expression. */
  private final Replay[] replays = new Replay[1 << REPEATED_BITS];

  /** Identity hash of the expression last assigned through a cached plan, by the same index. */
  private final int[] assigned = new int[1 << REPEATED_BITS];

  private long cachedKernels;

  /**
   * Creates an empty cache.
   *
   * @param planned receives each new plan while debugging is active
   */
  public PlanCache(PlanContext context, Consumer<PlanBuilder> planned) {
    this.context = context;
    this.planned = planned;
  }

  /** Assignment of the same objects as before, which needs no lookup; or null. */
  public Replay replay(StorageView target, Term expr) {
    Replay replay = replays[index(expr)];
    return replay != null && replay.fits(target, expr) ? replay : null;
  }

  private static int index(Term expr) {
    return expr.spread() >>> (32 - REPEATED_BITS);
  }

  /** Plan that repeats an assignment, with its arguments. */
  public CompiledPlan bound(Replay replay, StorageView target) {
    cachedKernels += replay.kernels();
    return replay.bind(target);
  }

  /** Plan of an assignment, with its arguments. */
  public CompiledPlan bound(StorageView target, Term expr) {
    ExprKey key = claimKey();
    try {
      key.target(target);
      key.add(expr);
      CompiledPlan plan = plans.get(key);
      if (plan == null) {
        plan = compile(key, List.of(new Update(target, expr)));
      } else {
        cachedKernels += plan.kernels();
        // Only the second assignment of an object makes a Replay: most expressions are built anew
        // for each assignment.
        int index = index(expr);
        if (assigned[index] == expr.spread()) {
          replays[index] = new Replay(target, expr, plan, key);
        }
        assigned[index] = expr.spread();
      }
      return plan.bind(key);
    } finally {
      release(key);
    }
  }

  /** Plan of several assignments that see the old values, with its arguments. */
  public CompiledPlan bound(List<Update> pairs) {
    ExprKey key = claimKey();
    try {
      for (Update p : pairs) {
        key.target(p.target());
        key.add(p.expr());
      }
      CompiledPlan plan = plans.get(key);
      if (plan == null) {
        plan = compile(key, pairs);
      } else {
        cachedKernels += plan.kernels();
      }
      return plan.bind(key);
    } finally {
      release(key);
    }
  }

  /** Plan of an assignment, which is not kept. */
  public PlanBuilder explain(StorageView target, Term expr) {
    var key = new ExprKey();
    key.target(target);
    key.add(expr);
    return planned(new PlanBuilder(context, key), List.of(new Update(target, expr)));
  }

  /** Plan of an evaluation into a new tensor, which is not kept. */
  public PlanBuilder explain(Term expr) {
    var key = new ExprKey();
    key.add(expr);
    var plan = new PlanBuilder(context, key);
    var storage = new Storage.Planned(context, expr.dtype(), expr.shape());
    plan.nameResult(storage);
    StorageView target = StorageView.contiguous(expr.dtype(), storage, expr.shape());
    return planned(plan, List.of(new Update(target, expr)));
  }

  /** Number of kernels launched by assignments that needed no planning. */
  public long cachedKernels() {
    return cachedKernels;
  }

  public void clear() {
    plans.clear();
    java.util.Arrays.fill(replays, null);
  }

  /** Returns the reusable key, or a new key for assignments nested in a host step. */
  private ExprKey claimKey() {
    if (keyInUse) {
      return new ExprKey();
    }
    keyInUse = true;
    return ownKey;
  }

  private void release(ExprKey key) {
    if (key == ownKey) {
      key.clear();
      keyInUse = false;
    }
  }

  private CompiledPlan compile(ExprKey key, List<Update> pairs) {
    long start = System.nanoTime();
    PlanBuilder plan = planned(new PlanBuilder(context, key), pairs);
    Passes.timed("assignment", "planning", start);
    if (Debug.active()) {
      planned.accept(plan);
    }
    start = System.nanoTime();
    var compiled = new CompiledPlan(plan, key.storageCount(), Set.of());
    Passes.timed("assignment", "preparing", start);
    if (!compiled.isSingleUse()) {
      plans.put(key.freeze(), compiled);
      if (plans.size() > MOST_PLANS) {
        var oldest = plans.keySet().iterator();
        oldest.next();
        oldest.remove();
      }
    }
    return compiled;
  }

  private PlanBuilder planned(PlanBuilder plan, List<Update> pairs) {
    int depth = pairs.stream().mapToInt(p -> p.expr().depth()).max().orElse(0);
    LargeStack.run(depth, () -> Planner.run(Schedule.of(plan, pairs)));
    return plan;
  }
}
