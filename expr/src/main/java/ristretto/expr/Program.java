package ristretto.expr;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import ristretto.kernels.debug.Passes;
import ristretto.kernels.device.Device;

/**
 * Recorded assignments, fused with one another and ready to run again and again; see {@link
 * Context#record}. Keeps the tensors and numbers it was recorded with.
 */
public final class Program {
  private final Context context;
  private final Prepared prepared;
  private final long[] scalars;
  private final Plan plan;
  private final List<Storage> storages;
  private final Runnable launches;
  private final List<Recorder.Assigned> assigned;

  Program(Context context, Device device, Recorder recorder, Set<Optimization> without) {
    this.context = context;
    long start = System.nanoTime();
    var key = new ExprKey();
    assigned = List.copyOf(restoreKept(recorder));
    for (Recorder.Assigned a : assigned) {
      for (Pair<?> p : a.pairs()) {
        key.target(p.target());
        key.add(p.expr());
      }
    }
    var builder = new PlanBuilder(context, key);
    int depth = 0;
    for (Recorder.Assigned a : assigned) {
      for (Pair<?> p : a.pairs()) {
        depth += p.expr().depth();
      }
    }
    DeepStack.run(depth, () -> new ProgramPlanner(builder, assigned, without).run());
    if (!without.contains(Optimization.FUSE_PRODUCTS)) {
      FuseProducts.apply(builder, device);
    }
    Passes.timed("program", "planning", start);
    plan = new Plan(builder);
    plan.log();
    start = System.nanoTime();
    prepared = new Prepared(builder, device, 0, !without.contains(Optimization.SHARE_MEMORY));
    Passes.timed("program", "preparing", start);
    storages = List.copyOf(builder.storages());
    scalars = java.util.Arrays.copyOf(key.scalars(), Math.max(1, key.scalarCount()));
    launches = () -> prepared.replay(context, device, scalars);
  }

  /** Aliases of tensors that the user still holds become those tensors again. */
  private static List<Recorder.Assigned> restoreKept(Recorder recorder) {
    if (recorder.keepsNothing()) {
      return recorder.assigned();
    }
    var copies = new IdentityHashMap<Expr<?>, Expr<?>>();
    var result = new ArrayList<Recorder.Assigned>();
    for (Recorder.Assigned a : recorder.assigned()) {
      var pairs = new ArrayList<Pair<?>>();
      for (Pair<?> p : a.pairs()) {
        pairs.add(
            Pair.untyped(
                (Tensor<?>) restore(p.target(), copies, recorder),
                restore(p.expr(), copies, recorder)));
      }
      result.add(new Recorder.Assigned(pairs, a.fresh(), a.label()));
    }
    return result;
  }

  private static Expr<?> restore(Expr<?> e, Map<Expr<?>, Expr<?>> copies, Recorder recorder) {
    return Recorder.rebuild(
        e,
        copies,
        t -> {
          Storage user = recorder.kept(t.storage());
          return user == null ? t : t.on(user);
        });
  }

  /**
   * Repeats the recorded assignments with the current contents of their tensors.
   *
   * @throws ristretto.kernels.ClosedException if the context was closed
   */
  public void run() {
    context.run(this, launches);
  }

  /** Kernels launched by one run. */
  public int kernelCount() {
    return prepared.kernels();
  }

  /** Temporaries of one run, each counted even where two share memory. */
  public int temporaryCount() {
    return plan.temporaryCount();
  }

  /** Bytes of memory for temporaries; those that do not live at the same time share it. */
  public long temporaryBytes() {
    return prepared.temporaryBytes();
  }

  /** Its assignments, their kernels, and what those read and write. */
  public Trace trace() {
    return new Trace(assigned, plan.steps(), storages, prepared);
  }

  /** What fused and what did not. */
  public Plan explain() {
    return plan;
  }

  @Override
  public String toString() {
    return plan + "  holds " + storages.size() + " buffers\n";
  }
}
