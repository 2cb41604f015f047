package ristretto.expr.program;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import ristretto.expr.memory.BufferPool;
import ristretto.expr.memory.MemoryPlan;
import ristretto.expr.memory.PlanContext;
import ristretto.expr.memory.Storage;
import ristretto.expr.memory.TemporaryBuffers;
import ristretto.expr.option.Optimization;
import ristretto.expr.plan.ExprKey;
import ristretto.expr.plan.PlanBuilder;
import ristretto.expr.plan.Step;
import ristretto.kernels.ShapeException;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.Launch;
import ristretto.kernels.device.Recording;

/**
 * Plan with compiled launches and bindings of buffer arguments. Arguments are numbered: first the
 * buffers bound for each run, then temporaries and other fixed buffers. Running allocates nothing
 * once the memory of temporaries exists.
 */
public final class CompiledPlan {
  /**
   * Maximal number of attempts to record the launches on the device; more mean that the device
   * refuses or that buffers change between runs.
   */
  private static final int MOST_RECORDINGS = 8;

  private final PlanContext context;
  private final BufferPool pool;
  private final Launch[] launches;
  private final Step.HostStep[] host;
  private final Buffer[] buffers;
  private final int bound;
  private final TemporaryBuffers temporaries;
  private final int kernels;

  /** True if some code on the host accesses tensors of this plan, or assigns. */
  private final boolean hasUnbound;

  private final IndexChecks checks;

  /** Temporaries by argument, for host steps; null for other arguments. */
  private final Storage.Planned[] planned;

  /** Launch scalars of the next run. */
  private long[] scalars;

  private boolean replayed;
  private int recordings;
  private Recording recorded;
  private Buffer[] recordedBuffers;

  /**
   * Prepares a plan.
   *
   * @param bound number of buffers bound for each run; the others belong to the plan
   * @param without disabled optimizations
   */
  public CompiledPlan(PlanBuilder plan, int bound, Set<Optimization> without) {
    this.context = plan.context();
    this.pool = context.memory().pool();
    Device device = context.device();
    List<Step.Lowered> steps = plan.steps();
    this.bound = bound;
    launches = Launches.of(device, steps);
    host = host(steps);
    kernels = kernels(host);
    hasUnbound = hasUnbound(host);
    List<Storage> storages = plan.storages();
    buffers = new Buffer[storages.size()];
    for (int k = bound; k < buffers.length; k++) {
      if (!(storages.get(k) instanceof Storage.Planned)) {
        buffers[k] = storages.get(k).buffer();
      }
    }
    planned = planned(storages);
    MemoryPlan places =
        MemoryPlanning.of(
                device,
                steps,
                storages.size(),
                bound,
                k -> planned[k] == null ? -1 : planned[k].bytes(),
                k -> buffers[k].bytes(),
                without,
                plan::isInPlace)
            .plan(v -> v);
    temporaries = new TemporaryBuffers(context.memory(), places);
    checks = checks(steps);
  }

  /**
   * Creates a plan from prepared launches with the buffers of a program.
   *
   * @param steps steps of the launches
   * @param storages storages of the arguments at planning time
   * @param buffers buffers by argument; null for temporaries
   * @param temporaries offsets of the temporaries
   */
  public CompiledPlan(
      PlanContext context,
      List<Step.Lowered> steps,
      Launch[] launches,
      List<Storage> storages,
      Buffer[] buffers,
      TemporaryBuffers temporaries) {
    this.context = context;
    this.pool = context.memory().pool();
    this.bound = 0;
    this.launches = launches;
    this.host = host(steps);
    this.kernels = kernels(host);
    this.hasUnbound = hasUnbound(host);
    this.buffers = buffers;
    this.planned = planned(storages);
    this.temporaries = temporaries;
    this.checks = checks(steps);
  }

  /** Host steps by step; null for kernels. */
  private static Step.HostStep[] host(List<Step.Lowered> steps) {
    return steps.stream()
        .map(s -> s instanceof Step.HostStep h ? h : null)
        .toArray(Step.HostStep[]::new);
  }

  private static int kernels(Step.HostStep[] host) {
    return (int) Arrays.stream(host).filter(Objects::isNull).count();
  }

  private static boolean hasUnbound(Step.HostStep[] host) {
    return Arrays.stream(host).anyMatch(h -> h != null && !h.isBound());
  }

  private IndexChecks checks(List<Step.Lowered> steps) {
    return IndexChecks.of(
        steps,
        launches,
        k ->
            k >= bound
                && planned[k] != null
                && (temporaries.place(k) == null || temporaries.within(temporaries.place(k)) < 0));
  }

  private static Storage.Planned[] planned(List<Storage> storages) {
    return storages.stream()
        .map(s -> s instanceof Storage.Planned p ? p : null)
        .toArray(Storage.Planned[]::new);
  }

  public int kernels() {
    return kernels;
  }

  /** Returns true if the plan belongs to the tensors that it was made for. */
  public boolean isSingleUse() {
    return hasUnbound;
  }

  /** Offsets of the temporaries. */
  public TemporaryBuffers temporaries() {
    return temporaries;
  }

  /** Sets the memory and the launch scalars of the next run to those of a key. */
  public CompiledPlan bind(ExprKey key) {
    for (int k = 0; k < bound; k++) {
      bind(k, key.storage(k));
    }
    return bind(key.scalars());
  }

  /** Sets the memory of a bound buffer for the next run. */
  void bind(int k, Storage storage) {
    if (storage.owner() != context) {
      throw new ShapeException(
          "[assign] all tensors of an expression must belong to this context; got one of another"
              + " context; copy it over with ctx.tensor(other.toFloatArray(), ...).");
    }
    buffers[k] = storage.buffer();
  }

  /** Sets the launch scalars of the next run. */
  CompiledPlan bind(long[] values) {
    // Host steps may use the context and overwrite the scalars of its key.
    scalars = hasUnbound ? values.clone() : values;
    return this;
  }

  /** Runs with the arguments that were set last, and forgets them. */
  public void run() {
    // Assignments in host steps need temporaries of their own.
    int reserved = hasUnbound ? temporaries.count() : 0;
    int first = pool.reserve(reserved);
    try {
      temporaries.bind(first, buffers);
      for (int k = 0; k < launches.length; k++) {
        checks.before(k, buffers);
        if (launches[k] != null) {
          launches[k].run(buffers, scalars);
        } else {
          runOnHost(host[k]);
        }
      }
    } finally {
      pool.release(reserved);
      for (int k = 0; k < bound; k++) {
        buffers[k] = null;
      }
    }
  }

  /** Receiver of the times of launches. */
  public interface Timings {
    /** Receives the time of one launch, or of one host step, whose launch is null. */
    void add(Launch launch, long nanos);
  }

  /** Runs for a program, whose scalars are constant, and waits for the end of each launch. */
  public void measure(long[] constants, Timings timings) {
    scalars = constants;
    Device device = context.device();
    int reserved = hasUnbound ? temporaries.count() : 0;
    int first = pool.reserve(reserved);
    try {
      temporaries.bind(first, buffers);
      device.synchronize();
      for (int k = 0; k < launches.length; k++) {
        long start = System.nanoTime();
        checks.before(k, buffers);
        if (launches[k] != null) {
          launches[k].run(buffers, scalars);
        } else {
          runOnHost(host[k]);
        }
        device.synchronize();
        timings.add(launches[k], System.nanoTime() - start);
      }
    } finally {
      pool.release(reserved);
    }
  }

  /**
   * Runs for a program, whose scalars are constant: from the second run on as a device-side
   * recording of all launches, if the device supports that.
   */
  public void replay(long[] constants) {
    scalars = constants;
    if (kernels < launches.length || launches.length < 2) {
      run();
      return;
    }
    temporaries.bind(pool.reserve(0), buffers);
    if (recorded != null && !Arrays.equals(recordedBuffers, buffers)) {
      recorded.close();
      recorded = null;
    }
    if (recorded == null && replayed && recordings < MOST_RECORDINGS) {
      recordings++;
      recorded = context.device().record(List.of(launches), buffers, constants).orElse(null);
      recordedBuffers = buffers.clone();
    }
    if (recorded == null) {
      run();
    } else {
      recorded.run();
    }
    replayed = true;
  }

  private void runOnHost(Step.HostStep step) {
    if (step.isBound()) {
      step.work().run(context.device(), step.arguments().stream().map(k -> buffers[k]).toList());
      return;
    }
    for (int k = 0; k < planned.length; k++) {
      if (temporaries.place(k) != null) {
        planned[k].bind(buffers[k]);
      }
    }
    step.work().run(context.device(), List.of());
  }
}
