package ristretto.expr;

import java.io.NotSerializableException;
import java.io.Serial;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.memory.PlanContext;
import ristretto.expr.memory.Storage;
import ristretto.expr.option.Optimization;
import ristretto.expr.plan.ExprKey;
import ristretto.expr.plan.LargeStack;
import ristretto.expr.plan.PlanBuilder;
import ristretto.expr.plan.Planner;
import ristretto.expr.plan.Schedule;
import ristretto.expr.program.CompiledPlan;
import ristretto.expr.recording.Recorded;
import ristretto.expr.recording.Recorder;
import ristretto.expr.recording.Update;
import ristretto.kernels.debug.Passes;

/**
 * Recorded assignments, planned together and ready to run repeatedly; see {@link Context#record}.
 * Keeps the tensors and numbers of the recording.
 *
 * @serial exclude
 */
@SuppressWarnings("serial") // is never written
public final class Program implements Serializable {
  private final Session session;
  private final CompiledPlan prepared;
  private final long[] scalars;
  private final Supplier<Plan> plan;
  private final List<Storage> storages;
  private final Runnable launches;
  private final Supplier<List<Recorder.Assigned>> assigned;

  Program(Session session, Recorder recorder, Set<Optimization> without) {
    this.session = session;
    Recorded recording = Recorded.of(recorder, restoreKept(recorder));
    assigned = () -> recording.whole().assigned();
    PlanBuilder builder = plan(session, recording, without, List.of());
    var made = new Plan(builder);
    made.log();
    plan = () -> made;
    long start = System.nanoTime();
    prepared = new CompiledPlan(builder, 0, without);
    Passes.timed("program", "preparing", start);
    storages = List.copyOf(builder.storages());
    scalars = scalars(builder.key());
    launches = () -> prepared.replay(scalars);
  }

  /** Refuses Java serialization: a program belongs to a device of this process. */
  @Serial
  private Object writeReplace() throws NotSerializableException {
    throw new NotSerializableException(
        "[serialize] a program must stay in its process, which has the device; record it where it"
            + " runs");
  }

  /**
   * Program from prepared launches.
   *
   * @param assigned recorded assignments; empty if unknown, as for a program of a template
   */
  Program(
      Session session,
      CompiledPlan prepared,
      Supplier<Plan> plan,
      Supplier<List<Recorder.Assigned>> assigned,
      List<Storage> storages,
      long[] scalars) {
    this.session = session;
    this.prepared = prepared;
    this.plan = plan;
    this.storages = storages;
    this.scalars = scalars;
    this.assigned = assigned;
    this.launches = () -> prepared.replay(scalars);
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
      PlanContext context, Recorded recorded, Set<Optimization> without, List<Storage> results) {
    Recorded recording = recorded.plannable();
    long start = System.nanoTime();
    var key = new ExprKey();
    int depth = 0;
    for (Recorder.Assigned a : recording.assigned()) {
      for (Update p : a.pairs()) {
        key.target(p.target());
        key.add(p.expr());
        depth += p.expr().depth();
      }
    }
    var builder = new PlanBuilder(context, key);
    results.forEach(builder::nameResult);
    builder.inParts(recording.parts().stream().map(recording::number).toList());
    builder.inPlace(recording, without);
    LargeStack.run(depth, () -> Planner.run(Schedule.of(builder, without, recording)));
    Passes.timed("program", "planning", start);
    return builder;
  }

  /** Replaces aliases by the tensors that are still reachable. */
  private static List<Recorder.Assigned> restoreKept(Recorder recorder) {
    recorder.close();
    if (recorder.keepsNothing()) {
      return recorder.assigned();
    }
    var copies = new IdentityHashMap<Term, Term>();
    var result = new ArrayList<Recorder.Assigned>();
    for (Recorder.Assigned a : recorder.assigned()) {
      var pairs = new ArrayList<Update>();
      for (Update p : a.pairs()) {
        pairs.add(new Update(restore(p.target(), recorder), restore(p.expr(), copies, recorder)));
      }
      result.add(a.with(pairs));
    }
    return result;
  }

  private static Term restore(Term e, Map<Term, Term> copies, Recorder recorder) {
    return Recorder.rebuild(e, copies, m -> restore(m, recorder));
  }

  private static StorageView restore(StorageView m, Recorder recorder) {
    Storage user = recorder.kept(m.storage());
    return user == null ? m : m.on(user);
  }

  /**
   * Repeats the recorded assignments with the current contents of their tensors.
   *
   * @throws ristretto.kernels.ClosedException if the context was closed
   */
  public void run() {
    session.run(this, launches);
  }

  /**
   * Time of one kernel, or of host code.
   *
   * @param kernel name of the kernel, or {@code host}
   * @param nanos duration in nanoseconds, from the launch to the end of the kernel
   * @param bytes bytes read and written
   * @param operations floating-point operations; 0 if unknown
   */
  public record Timing(String kernel, long nanos, long bytes, long operations) {}

  /**
   * Runs as {@link #run} does, but one kernel at a time, and measures each.
   *
   * @return times in the order of {@link Trace#works}
   * @throws ristretto.kernels.ClosedException if the context was closed
   */
  public List<Timing> measure() {
    var all = new ArrayList<Timing>();
    session.run(
        this,
        () ->
            prepared.measure(
                scalars,
                (launch, nanos) ->
                    all.add(
                        launch == null
                            ? new Timing("host", nanos, 0, 0)
                            : new Timing(
                                launch.name(), nanos, launch.bytes(), launch.operations()))));
    return all;
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
