package ristretto.expr.memory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import ristretto.kernels.DeviceException;
import ristretto.kernels.device.Buffer;

/**
 * Temporaries of a plan, bound to offsets of buffers. The parts of a buffer are created again only
 * when the buffer changed since the last run.
 */
public final class TemporaryBuffers {
  private final DeviceMemory memory;
  private final MemoryPlan plan;

  /** Buffers of the plan's own; null if the plan uses those of the pool. */
  private final List<? extends Supplier<Buffer>> own;

  /** Buffers of the last run, by number. */
  private final Buffer[] last;

  /** True once the temporaries within results are bound; results keep their buffers. */
  private boolean withinResults;

  /** Placements by argument, created on first use. */
  private Map<Integer, MemoryPlan.Placement> byArgument;

  /** Open parts by buffer, closed once the plan is unreachable. */
  private final Map<Integer, List<Buffer>> parts;

  /** Creates the temporaries of a plan in buffers of the pool. */
  public TemporaryBuffers(DeviceMemory memory, MemoryPlan plan) {
    this(memory, plan, null);
  }

  /**
   * Creates the temporaries of a plan in buffers that no other plan uses.
   *
   * @param own these buffers; null for those of the pool
   */
  public TemporaryBuffers(
      DeviceMemory memory, MemoryPlan plan, List<? extends Supplier<Buffer>> own) {
    this.memory = memory;
    this.plan = plan;
    this.own = own;
    this.last = new Buffer[plan.bytes().size()];
    Map<Integer, List<Buffer>> open = new HashMap<>();
    this.parts = open;
    if (plan.all().stream().anyMatch(p -> !p.whole())) {
      Reclaimer.whenGone(this, () -> open.values().forEach(all -> all.forEach(Buffer::close)));
    }
  }

  /** Placement of an argument; null if it is no temporary. */
  public MemoryPlan.Placement place(int argument) {
    if (byArgument == null) {
      Map<Integer, MemoryPlan.Placement> all = new HashMap<>();
      plan.all().forEach(p -> all.put(p.argument(), p));
      byArgument = all;
    }
    return byArgument.get(argument);
  }

  /** Argument of the result that holds the temporary; -1 for the plan's own memory. */
  public int within(MemoryPlan.Placement place) {
    return plan.result(place.buffer());
  }

  /** Bytes of the plan's own buffers. */
  public long bytes() {
    return plan.total();
  }

  /** Number of buffers of the plan's own. */
  public int count() {
    return last.length;
  }

  /**
   * Binds the temporaries.
   *
   * @param first first free slot of the pool
   * @param buffers buffers by argument; results are bound already
   */
  public void bind(int first, Buffer[] buffers) {
    if (!withinResults) {
      withinResults = true;
      for (int k = 0; k < plan.results().size(); k++) {
        bindParts(last.length + k, buffers[plan.results().get(k)], buffers);
      }
    }
    try {
      bindOwn(first, buffers);
    } catch (DeviceException e) {
      if (own != null) {
        throw e;
      }
      memory.makeRoom();
      bindOwn(first, buffers);
    }
  }

  private void bindOwn(int first, Buffer[] buffers) {
    for (int k = 0; k < last.length; k++) {
      Buffer buffer =
          own != null ? own.get(k).get() : memory.pool().get(first + k, plan.bytes().get(k));
      if (buffer != last[k]) {
        last[k] = buffer;
        bindParts(k, buffer, buffers);
      }
    }
  }

  private record Part(long offset, long bytes) {}

  private void bindParts(int number, Buffer whole, Buffer[] buffers) {
    List<Buffer> open = parts.computeIfAbsent(number, _ -> new ArrayList<>());
    open.forEach(Buffer::close);
    open.clear();
    var known = new HashMap<Part, Buffer>();
    for (MemoryPlan.Placement p : plan.all()) {
      if (p.buffer() == number) {
        buffers[p.argument()] =
            p.whole()
                ? whole
                : known.computeIfAbsent(
                    new Part(p.offset(), p.bytes()),
                    part -> {
                      Buffer made = memory.pool().part(whole, part.offset, part.bytes);
                      open.add(made);
                      return made;
                    });
      }
    }
  }
}
