package ristretto.expr;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import ristretto.kernels.debug.Passes;
import ristretto.kernels.device.Device;

/**
 * Recorded assignments, planned together and ready to run repeatedly; see {@link Context#record}.
 * Keeps the tensors and numbers of the recording.
 */
public final class Program {
  private final Context context;
  private final Prepared prepared;
  private final long[] scalars;
  private final Supplier<Plan> plan;
  private final List<Storage> storages;
  private final Runnable launches;
  private final Supplier<List<Recorder.Assigned>> assigned;

  Program(Context context, Device device, Recorder recorder, Set<Optimization> without) {
    this.context = context;
    var recording = new Recorded(restoreKept(recorder), List.of(), recorder.rounds());
    assigned = () -> recording.whole().assigned();
    PlanBuilder builder = plan(context, device, recording, without, List.of());
    var made = new Plan(builder);
    made.log();
    plan = () -> made;
    long start = System.nanoTime();
    prepared = new Prepared(builder, device, 0, without);
    Passes.timed("program", "preparing", start);
    storages = List.copyOf(builder.storages());
    scalars = scalars(builder.key());
    launches = () -> prepared.replay(context, device, scalars);
  }

  /**
   * Program from prepared launches.
   *
   * @param assigned recorded assignments; empty if unknown, as for a program of a template
   */
  Program(
      Context context,
      Device device,
      Prepared prepared,
      Supplier<Plan> plan,
      Supplier<List<Recorder.Assigned>> assigned,
      List<Storage> storages,
      long[] scalars) {
    this.context = context;
    this.prepared = prepared;
    this.plan = plan;
    this.storages = storages;
    this.scalars = scalars;
    this.assigned = assigned;
    this.launches = () -> prepared.replay(context, device, scalars);
  }

  static long[] scalars(ExprKey key) {
    return Arrays.copyOf(key.scalars(), Math.max(1, key.scalarCount()));
  }

  /**
   * Plans assignments.
   *
   * @param results planned storages that are results, not temporaries
   */
  static PlanBuilder plan(
      Context context,
      Device device,
      Recorded recording,
      Set<Optimization> without,
      List<Storage> results) {
    long start = System.nanoTime();
    var key = new ExprKey();
    int depth = 0;
    for (Recorder.Assigned a : recording.assigned()) {
      for (Pair<?> p : a.pairs()) {
        key.target(p.target());
        key.add(p.expr());
        depth += p.expr().depth();
      }
    }
    var builder = new PlanBuilder(context, key);
    results.forEach(builder::nameResult);
    builder.inParts(recording.parts());
    builder.inPlace(recording.assigned(), without);
    DeepStack.run(depth, () -> new ProgramPlanner(builder, device, recording, without).run());
    if (!without.contains(Optimization.FUSE_PRODUCTS)) {
      FuseProducts.apply(builder, device);
    }
    if (without.contains(Optimization.LEAVE_UNDEFINED)) {
      SetToZero.apply(builder);
    }
    boolean complete = LaterRounds.apply(builder, recording);
    Passes.timed("program", "planning", start);
    return complete ? builder : plan(context, device, recording.whole(), without, results);
  }

  /** Replaces aliases by the tensors that are still reachable. */
  private static List<Recorder.Assigned> restoreKept(Recorder recorder) {
    recorder.close();
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
      result.add(a.with(pairs));
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

  /** Number of kernels launched by one run. */
  public int kernelCount() {
    return prepared.kernels();
  }

  /** Number of temporaries, counted separately even if they share memory. */
  public int temporaryCount() {
    return plan.get().temporaryCount();
  }

  /** Bytes of memory for temporaries; temporaries with disjoint live ranges share memory. */
  public long temporaryBytes() {
    return prepared.temporaries().bytes();
  }

  /**
   * Trace of assignments, kernels and memory accesses. A program of a {@link ProgramTemplate} has
   * kernels only.
   */
  public Trace trace() {
    return new Trace(assigned.get(), plan.get().steps(), storages, prepared);
  }

  /** Plan with kernels, temporaries and fusion decisions. */
  public Plan explain() {
    return plan.get();
  }

  @Override
  public String toString() {
    return plan.get() + "  holds " + storages.size() + " buffers\n";
  }
}
