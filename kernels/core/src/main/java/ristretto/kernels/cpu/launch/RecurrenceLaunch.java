package ristretto.kernels.cpu.launch;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import ristretto.kernels.cpu.codegen.RecurrenceCode;
import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.cpu.strip.Strip;
import ristretto.kernels.cpu.strip.StripKey;
import ristretto.kernels.cpu.strip.StripSpec;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;

/**
 * Launch of a recurrence. Many lanes are computed together, a strip per step; few lanes one after
 * the other, a loop over the steps each. Threads split the lanes.
 */
public final class RecurrenceLaunch extends CpuLaunch {
  /** Least number of lanes for which a strip per step is faster than a loop per lane. */
  private static final long WIDE = 16;

  private final Kernel.Recurrence kernel;
  private final List<Operand> reads;
  private final int count;
  private Strip strip;
  private RecurrenceCode.Loop loop;

  public RecurrenceLaunch(LaunchServices services, Kernel.Recurrence kernel) {
    super(services, kernel);
    this.kernel = kernel;
    reads = kernel.reads();
    count = reads.size() + kernel.targets().size();
    long[] extents = kernel.extents().toArray();
    reads.forEach(operand -> declare(operand, extents));
    kernel.targets().forEach(operand -> declare(operand, extents));
    long points = kernel.extents().product();
    if (points == 0) {
      return;
    }
    boolean wide =
        kernel.lanes() >= WIDE
            && reads.stream().allMatch(RecurrenceLaunch::unit)
            && kernel.targets().stream().allMatch(RecurrenceLaunch::unit);
    boolean found = true;
    if (wide) {
      var accesses =
          reads.stream()
              .map(
                  o -> o instanceof Operand.Value ? StripSpec.Access.SCALAR : StripSpec.Access.UNIT)
              .collect(Collectors.toCollection(ArrayList::new));
      Collections.fill(accesses.subList(0, kernel.targets().size()), StripSpec.Access.UNIT);
      var stores = Collections.nCopies(kernel.targets().size(), StripSpec.STORE);
      var key = new StripKey(kernel.tape(), accesses, stores, List.of());
      found = services.cached(key);
      strip = services.strip(key, name()).strip();
    } else {
      int states = kernel.targets().size();
      loop = RecurrenceCode.of(kernel.tape(), reads.size(), states, name(), services.counters());
    }
    double nanos = points * (1 + Cost.of(kernel.tape()));
    int threads = services.workers.size();
    long most = wide ? kernel.lanes() / WIDE : kernel.lanes();
    chunks = threads == 1 || nanos < Cost.PARALLEL_NANOS ? 1 : (int) Math.min(threads, most);
    describe(TileStrip.operations(kernel.tape(), points), kernel.tape()::toString, found);
  }

  private static boolean unit(Operand operand) {
    return operand instanceof Operand.Value
        || operand instanceof Operand.Memory m && m.map().strides().get(1) == 1;
  }

  @Override
  public void chunk(Job job, int index, int chunkCount, ThreadContext context) {
    long from = kernel.lanes() * index / chunkCount;
    long to = kernel.lanes() * (index + 1) / chunkCount;
    long[] pointers = new long[count];
    long[] steps = new long[count];
    if (strip != null) {
      strips(job, from, (int) (to - from), pointers, steps, context);
      return;
    }
    for (long lane = from; lane < to; lane++) {
      start(job, lane, pointers, steps);
      loop.run(pointers, steps, Math.toIntExact(kernel.steps()));
    }
  }

  /** Sets the addresses for the first step, and the bytes between steps. */
  private void start(Job job, long lane, long[] pointers, long[] steps) {
    for (int k = 0; k < count; k++) {
      Operand operand = k < reads.size() ? reads.get(k) : kernel.targets().get(k - reads.size());
      if (operand instanceof Operand.Memory m) {
        long size = m.storage().bytes();
        long step = m.map().strides().get(0) * size;
        long first = m.map().offset() + lane * m.map().strides().get(1);
        pointers[k] =
            job.buffers[m.buffer()] + first * size + (kernel.reverse() ? steps() * step : 0);
        steps[k] = kernel.reverse() ? -step : step;
      } else if (operand instanceof Operand.Value v) {
        pointers[k] = job.scalars + 8L * v.argument();
        steps[k] = 0;
      }
    }
  }

  private long steps() {
    return kernel.steps() - 1;
  }

  private void strips(
      Job job, long lane, int lanes, long[] pointers, long[] steps, ThreadContext context) {
    start(job, lane, pointers, steps);
    long[] rowStrides = new long[count];
    int states = kernel.targets().size();
    long room = (strip.scratchBytes() + 63) & -64L;
    long scratch = context.scratch(room + 8L * lanes * states);
    for (int s = 0; s < states; s++) {
      if (reads.get(s) instanceof Operand.Value) {
        pointers[s] =
            filled(
                pointers[s], reads.get(s).type().bytes(), scratch + room + 8L * lanes * s, lanes);
      }
    }
    for (long t = 0; t < kernel.steps(); t++) {
      strip.run(pointers, rowStrides, 1, lanes, scratch);
      for (int s = 0; s < states; s++) {
        pointers[s] = pointers[reads.size() + s];
      }
      for (int k = states; k < count; k++) {
        pointers[k] += steps[k];
      }
    }
  }

  /** Writes a number to all lanes of a state; returns the address of the first. */
  private static long filled(long number, int bytes, long to, int lanes) {
    for (int lane = 0; lane < lanes; lane++) {
      RawMemory.copy(number, to + (long) lane * bytes, bytes);
    }
    return to;
  }
}
