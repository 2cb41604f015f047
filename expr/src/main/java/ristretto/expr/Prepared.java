package ristretto.expr;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
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
final class Prepared {
  /**
   * Maximal number of attempts to record the launches on the device; more mean that the device
   * refuses or that buffers change between runs.
   */
  private static final int MOST_RECORDINGS = 8;

  private final Launch[] launches;
  private final Runnable[] host;
  private final Buffer[] buffers;
  private final int bound;
  private final PlacedTemporaries temporaries;
  private final int kernels;
  private final boolean hasHost;
  private final EarlyChecks checks;

  /** Temporaries by argument, for host steps; null for other arguments. */
  private final Storage.Planned[] planned;

  private boolean replayed;
  private int recordings;
  private Recording recorded;
  private Buffer[] recordedBuffers;

  /**
   * Prepares a plan.
   *
   * @param bound number of buffers bound for each run; the others belong to the plan
   */
  Prepared(PlanBuilder plan, Device device, int bound) {
    this(plan, device, bound, Set.of());
  }

  /**
   * Prepares a plan.
   *
   * @param without disabled optimizations
   */
  Prepared(PlanBuilder plan, Device device, int bound, Set<Optimization> without) {
    List<Step> steps = plan.steps();
    this.bound = bound;
    launches = Launches.of(device, steps);
    host = new Runnable[steps.size()];
    int count = 0;
    for (int k = 0; k < launches.length; k++) {
      if (steps.get(k) instanceof Step.HostStep s) {
        host[k] = s.work();
      } else {
        count++;
      }
    }
    kernels = count;
    hasHost = count < launches.length;
    List<Storage> storages = plan.storages();
    buffers = new Buffer[storages.size()];
    for (int k = bound; k < buffers.length; k++) {
      if (!(storages.get(k) instanceof Storage.Planned)) {
        buffers[k] = storages.get(k).buffer();
      }
    }
    planned = planned(storages);
    Places places =
        Placement.of(
                device,
                steps,
                storages.size(),
                bound,
                k -> planned[k] == null ? -1 : planned[k].bytes(),
                k -> buffers[k].bytes(),
                without,
                plan::isInPlace)
            .at(v -> v);
    temporaries = new PlacedTemporaries(plan.context(), places, null);
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
  Prepared(
      List<Step> steps,
      Launch[] launches,
      List<Storage> storages,
      Buffer[] buffers,
      PlacedTemporaries temporaries) {
    this.bound = 0;
    this.launches = launches;
    this.host = new Runnable[launches.length];
    int count = 0;
    for (int k = 0; k < launches.length; k++) {
      if (steps.get(k) instanceof Step.HostStep h) {
        host[k] = h.work();
      } else {
        count++;
      }
    }
    this.kernels = count;
    this.hasHost = count < launches.length;
    this.buffers = buffers;
    this.planned = planned(storages);
    this.temporaries = temporaries;
    this.checks = checks(steps);
  }

  private EarlyChecks checks(List<Step> steps) {
    return EarlyChecks.of(
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

  int kernels() {
    return kernels;
  }

  boolean hasHostSteps() {
    return hasHost;
  }

  /** Offsets of the temporaries. */
  PlacedTemporaries temporaries() {
    return temporaries;
  }

  private static Buffer bind(Context context, Storage storage) {
    if (storage.context() != context) {
      throw new ShapeException(
          "[assign] all tensors of an expression must belong to this context; got one of another"
              + " context; copy it over with ctx.tensor(other.toFloatArray(), ...).");
    }
    return storage.buffer();
  }

  /** Runs with the storages and launch scalars of a key. */
  void run(Context context, ExprKey key) {
    for (int k = 0; k < bound; k++) {
      buffers[k] = bind(context, key.storage(k));
    }
    // Host steps may use the context and overwrite the scalars of its key.
    run(context, hasHost ? key.scalars().clone() : key.scalars());
    for (int k = 0; k < bound; k++) {
      buffers[k] = null;
    }
  }

  /** Runs with the given storages; null stands for the storage of the target. */
  void run(Context context, Storage[] storages, Storage target, long[] scalars) {
    for (int k = 0; k < bound; k++) {
      Storage s = storages[k];
      buffers[k] = bind(context, s == null ? target : s);
    }
    run(context, scalars);
    for (int k = 0; k < bound; k++) {
      buffers[k] = null;
    }
  }

  void run(Context context, long[] scalars) {
    // Assignments in host steps need temporaries of their own.
    int reserved = hasHost ? temporaries.count() : 0;
    int first = context.temporaries().reserve(reserved);
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
      context.temporaries().release(reserved);
    }
  }

  /**
   * Runs for a program, whose scalars are constant: from the second run on as a device-side
   * recording of all launches, if the device supports that.
   */
  void replay(Context context, Device device, long[] scalars) {
    if (hasHost || launches.length < 2) {
      run(context, scalars);
      return;
    }
    temporaries.bind(context.temporaries().reserve(0), buffers);
    if (recorded != null && !Arrays.equals(recordedBuffers, buffers)) {
      recorded.close();
      recorded = null;
    }
    if (recorded == null && replayed && recordings < MOST_RECORDINGS) {
      recordings++;
      recorded = device.record(List.of(launches), buffers, scalars).orElse(null);
      recordedBuffers = buffers.clone();
    }
    if (recorded == null) {
      run(context, scalars);
    } else {
      recorded.run();
    }
    replayed = true;
  }

  private void runOnHost(Runnable work) {
    for (int k = 0; k < planned.length; k++) {
      if (temporaries.place(k) != null) {
        planned[k].bind(buffers[k]);
      }
    }
    work.run();
  }
}
