package ristretto.expr;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import ristretto.kernels.DeviceException;
import ristretto.kernels.ShapeException;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.Launch;
import ristretto.kernels.device.Recording;

/**
 * A plan ready to run: compiled launches, and where each buffer argument comes from. Buffers are
 * numbered: first those of the expressions it is run for, then temporaries and other fixed ones.
 * Running allocates nothing once the temporaries' memory is there.
 */
final class Prepared {
  /** Then the device will not record, or memory is never at the same place. */
  private static final int MOST_RECORDINGS = 8;

  /**
   * A temporary gets the context's temporary buffer of this slot, or lies where a result will be.
   *
   * @param storage for work on the host; null where there is none
   */
  private record Temporary(int argument, int slot, Storage.Planned storage) {}

  private final Launch[] launches;
  private final Runnable[] host;
  private final Buffer[] buffers;
  private final int bound;
  private final Temporary[] temporaries;
  private final Slots slots;
  private final long[] slotBytes;
  private final int kernels;
  private final boolean hasHost;

  /** Memory of the slots, which stays; null if they are those of the context. */
  private final List<Storage.Deferred> own;

  private boolean replayed;
  private int recordings;
  private Recording recorded;
  private Buffer[] recordedBuffers;

  /**
   * @param bound how many buffers each run supplies; the others belong to the plan
   */
  Prepared(PlanBuilder plan, Device device, int bound) {
    this(plan, device, bound, Set.of());
  }

  /**
   * @param without what is not done to memory
   */
  Prepared(PlanBuilder plan, Device device, int bound, Set<Optimization> without) {
    List<Step> steps = plan.steps();
    this.bound = bound;
    this.own = null;
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
    slots =
        Slots.of(
            steps,
            storages.size(),
            bound,
            k -> storages.get(k) instanceof Storage.Planned t ? t.bytes() : -1,
            k -> buffers[k].bytes(),
            without,
            plan::isInPlace);
    temporaries =
        slots.all().stream()
            .map(t ->
                new Temporary(t.argument(), t.slot(), (Storage.Planned) storages.get(t.argument())))
            .toArray(Temporary[]::new);
    slotBytes = slots.bytes(t -> ((Storage.Planned) storages.get(t)).bytes());
    bindWithinResults();
  }

  /**
   * Of launches that are there, for the buffers of a program.
   *
   * @param steps which they are launches of
   * @param storages of the arguments as the program was planned
   * @param buffers null for temporaries
   * @param slotBytes by slot
   * @param own memory for the slots that other programs do not use, or null
   */
  Prepared(
      List<Step> steps,
      Launch[] launches,
      List<Storage> storages,
      Buffer[] buffers,
      Slots slots,
      long[] slotBytes,
      List<Storage.Deferred> own) {
    this.own = own;
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
    this.temporaries =
        slots.all().stream()
            .map(t ->
                new Temporary(t.argument(), t.slot(), (Storage.Planned) storages.get(t.argument())))
            .toArray(Temporary[]::new);
    this.slots = slots;
    this.slotBytes = slotBytes;
    bindWithinResults();
  }

  private void bindWithinResults() {
    for (Temporary t : temporaries) {
      if (slots.result(t.slot) >= 0) {
        buffers[t.argument] = buffers[slots.result(t.slot)];
      }
    }
  }

  int kernels() {
    return kernels;
  }

  boolean hasHostSteps() {
    return hasHost;
  }

  /** The slot of a temporary, which those that do not live at the same time share; or -1. */
  int slot(int argument) {
    for (Temporary t : temporaries) {
      if (t.argument == argument) {
        return slots.result(t.slot) >= 0 ? -1 : t.slot;
      }
    }
    return -1;
  }

  /** The result in whose memory a temporary lies; or -1. */
  int within(int argument) {
    for (Temporary t : temporaries) {
      if (t.argument == argument) {
        return slots.result(t.slot);
      }
    }
    return -1;
  }

  /** Bytes of temporaries, shared by liveness. */
  long temporaryBytes() {
    long sum = 0;
    for (long b : slotBytes) {
      sum += b;
    }
    return sum;
  }

  private static Buffer bind(Context context, Storage storage) {
    if (storage.context() != context) {
      throw new ShapeException(
          "[assign] all tensors of an expression must belong to this context; got one of another"
              + " context; copy it over with ctx.tensor(other.toFloatArray(), ...).");
    }
    return storage.buffer();
  }

  /** Runs for the storages and scalars a key collected. */
  void run(Context context, ExprKey key) {
    for (int k = 0; k < bound; k++) {
      buffers[k] = bind(context, key.storage(k));
    }
    // Host steps may use the context, and with it the key.
    run(context, hasHost ? key.scalars().clone() : key.scalars());
    for (int k = 0; k < bound; k++) {
      buffers[k] = null;
    }
  }

  /** Runs for the given storages; null stands for the target's. */
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
    // Host steps may assign, with temporaries of their own.
    int reserved = hasHost ? slotBytes.length : 0;
    int first = context.temporaries().reserve(reserved);
    try {
      bindTemporaries(context, first);
      for (int k = 0; k < launches.length; k++) {
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
   * Runs for a program, which always has the same scalars: from its second run on as one piece of
   * work, if the device has such a thing.
   */
  void replay(Context context, Device device, long[] scalars) {
    if (hasHost || launches.length < 2) {
      run(context, scalars);
      return;
    }
    bindTemporaries(context, context.temporaries().reserve(0));
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

  private void bindTemporaries(Context context, int first) {
    if (own != null) {
      for (Temporary t : temporaries) {
        if (t.slot < own.size()) {
          buffers[t.argument] = own.get(t.slot).buffer();
        }
      }
      return;
    }
    try {
      bindTemporaries(context.temporaries(), first);
    } catch (DeviceException e) {
      context.makeRoom();
      bindTemporaries(context.temporaries(), first);
    }
  }

  private void bindTemporaries(Temporaries all, int first) {
    for (Temporary t : temporaries) {
      if (t.slot < slotBytes.length) {
        buffers[t.argument] = all.get(first + t.slot, slotBytes[t.slot]);
      }
    }
  }

  private void runOnHost(Runnable work) {
    for (Temporary t : temporaries) {
      t.storage.bind(buffers[t.argument]);
    }
    work.run();
  }
}
