package ristretto.kernels.cpu.launch;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import ristretto.kernels.KernelException;
import ristretto.kernels.cpu.memory.CpuBuffer;
import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.operands.GatherCheck;
import ristretto.kernels.cpu.runtime.ChunkedTask;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Launch;
import ristretto.kernels.device.LaunchLog;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;

/**
 * Base of all launches of the cpu device: checks, addresses of arguments, counters and the debug
 * line. A launch is run in chunks by several threads, or as one chunk on the calling thread, which
 * may run chunks of other tasks: one after another, if it has several phases.
 */
public abstract class CpuLaunch implements Launch, ChunkedTask {
  protected final LaunchServices services;

  /** Number of chunks; 0 if there is nothing to compute. */
  protected int chunks;

  private final Kernel kernel;
  private final String name;
  private final boolean watched;
  private long bytes;
  private long operations;
  private long[] required = new long[4];

  /** Lowest byte offset that the kernel reaches, by buffer argument. */
  private long[] least = new long[4];

  private int buffers;
  private int scalars;
  private final List<GatherCheck> gathers = new ArrayList<>();

  /** Source text of the launch, built only if an observer of launches asks for it. */
  private Supplier<String> source = () -> "";

  /** True until the first observed run, if a strip was compiled for this launch. */
  private boolean fresh;

  protected CpuLaunch(LaunchServices services, Kernel kernel) {
    this.services = services;
    this.name = kernel.name();
    this.watched = LaunchLog.watched(name);
    this.kernel = watched ? kernel : null;
  }

  /** Bytes of memory that the chunks of a launch share, in addition to the launch scalars. */
  protected long sharedBytes() {
    return 0;
  }

  @Override
  public final void run(Buffer[] arguments, long[] values) {
    services.enter();
    try {
      Job job = bound(arguments, values, null, null, null);
      if (watched) {
        observe(job);
      } else {
        // A single chunk is run by this thread.
        services.workers.run(job, this, chunksNow());
      }
    } finally {
      services.leave();
    }
  }

  /** Number of chunks of the next run, at most {@link #chunks}. */
  protected int chunksNow() {
    return chunks;
  }

  /** Runs as a part of another launch, on the arguments of its job. */
  public final void execute(Job job) {
    services.workers.run(job, this, chunksNow());
  }

  @Override
  public final void check(Buffer[] arguments) {
    check(arguments, null, null);
  }

  /**
   * Checks the indices of gathers for a launch on renumbered and shifted arguments.
   *
   * @param which argument number by buffer of the kernel; null for all in order
   * @param offsets byte offset by buffer of the kernel; null for none
   */
  final void check(Buffer[] arguments, int[] which, long[] offsets) {
    Job job = ThreadContext.current().job;
    bind(job, arguments, which, offsets);
    checkIndices(job);
  }

  private void checkIndices(Job job) {
    for (int k = 0; k < gathers.size(); k++) {
      gathers.get(k).check(job);
    }
  }

  /**
   * Sets the addresses of the arguments.
   *
   * @param which argument number by buffer of the kernel; null for all in order
   * @param offsets byte offset by buffer of the kernel; null for none
   */
  private void bind(Job job, Buffer[] arguments, int[] which, long[] offsets) {
    job.reserve(buffers);
    for (int k = 0; k < buffers; k++) {
      if (required[k] > 0) {
        long offset = offsets == null ? 0 : offsets[k];
        job.buffers[k] = address(k, arguments[which == null ? k : which[k]], offset) + offset;
      }
    }
  }

  @Override
  public final Optional<Launch> moved(int[] arguments, long[] offsets, int[] numbers) {
    return Optional.of(new MovedLaunch(this, arguments, offsets, numbers));
  }

  /**
   * Runs on renumbered and shifted arguments.
   *
   * @param which argument number by buffer of the kernel
   * @param offsets byte offset by buffer of the kernel
   * @param numbers number in {@code values} by launch scalar
   */
  final void run(Buffer[] arguments, long[] values, int[] which, long[] offsets, int[] numbers) {
    services.enter();
    try {
      Job job = bound(arguments, values, which, offsets, numbers);
      if (watched) {
        observe(job);
      } else {
        // A single chunk is run by this thread.
        services.workers.run(job, this, chunksNow());
      }
    } finally {
      services.leave();
    }
  }

  /**
   * Sets the addresses of the arguments and the launch scalars, and checks the indices of gathers.
   *
   * @param which argument number by buffer of the kernel; null for all in order
   * @param offsets byte offset by buffer of the kernel; null for none
   * @param numbers number in {@code values} by launch scalar; null for all in order
   */
  private Job bound(Buffer[] arguments, long[] values, int[] which, long[] offsets, int[] numbers) {
    ThreadContext context = ThreadContext.current();
    Job job = context.job;
    bind(job, arguments, which, offsets);
    long cells = (8L * scalars + 63) & -64L;
    job.scalars = context.shared(cells + sharedBytes());
    job.shared = job.scalars + cells;
    for (int k = 0; k < scalars; k++) {
      RawMemory.putLong(job.scalars + 8L * k, values[numbers == null ? k : numbers[k]]);
    }
    checkIndices(job);
    return job;
  }

  private long address(int argument, Buffer buffer, long offset) {
    CpuBuffer own = (CpuBuffer) buffer;
    long address = own.address(name);
    if (own.bytes() < required[argument] + offset || least[argument] + offset < 0) {
      throw new KernelException(
          ("[%s] a buffer must be as large as the kernel's index maps require; got %s bytes for"
               + " argument %s, which needs %s from byte %s on; this is a bug of Ristretto, please"
               + " report it")
              .formatted(
                  name,
                  own.bytes(),
                  argument,
                  required[argument] + offset,
                  least[argument] + offset));
    }
    return address;
  }

  private void observe(Job job) {
    long start = System.nanoTime();
    execute(job);
    LaunchLog.done(this, kernel, start, System.nanoTime() - start, fresh);
    fresh = false;
  }

  /**
   * Records the requirements of {@code operand}: size of its buffer, index check of its gather,
   * memory traffic.
   */
  protected final void declare(Operand operand, long[] extents) {
    declare(operand, extents, false);
  }

  /**
   * Records the requirements of an operand.
   *
   * @param scatter true if the operand is written at its gathered indices
   */
  protected final void declare(Operand operand, long[] extents, boolean scatter) {
    long points = 1;
    for (long n : extents) {
      points *= n;
    }
    if (points == 0) {
      return;
    }
    switch (operand) {
      case Operand.Value v -> scalars = Math.max(scalars, v.argument() + 1);
      case Operand.Index _ -> {}
      case Operand.Memory m -> {
        long[] from = new long[extents.length];
        long[] to = extents.clone();
        for (Operand.Bound b : m.bounds()) {
          from[b.dim()] = Math.max(from[b.dim()], b.from());
          to[b.dim()] = Math.min(to[b.dim()], b.to());
          if (from[b.dim()] >= to[b.dim()]) {
            return;
          }
        }
        long low = m.map().offset();
        long high = low;
        if (m.gather().isPresent()) {
          Operand.Gather g = m.gather().get();
          if (g.extent() > 0) {
            low += Math.min(0, g.stride() * (g.extent() - 1));
            high += Math.max(0, g.stride() * (g.extent() - 1));
          }
          gathers.add(new GatherCheck(g, from, to, scatter));
          need(
              g.buffer(),
              g.map(),
              g.map().offset(),
              g.map().offset(),
              from,
              to,
              g.storage().bytes());
        }
        need(m.buffer(), m.map(), low, high, from, to, m.storage().bytes());
      }
    }
  }

  private void need(int buffer, Affine map, long low, long high, long[] from, long[] to, int size) {
    long distinct = 1;
    for (int d = 0; d < from.length; d++) {
      long stride = map.strides().get(d);
      long first = stride * from[d];
      long last = stride * (to[d] - 1);
      low += Math.min(first, last);
      high += Math.max(first, last);
      distinct *= stride == 0 ? 1 : to[d] - from[d];
    }
    if (low < 0) {
      throw new KernelException(
          ("[%s] an index map must stay within its buffer; got element %s of argument %s; this"
                  + " is a bug of Ristretto, please report it")
              .formatted(name, low, buffer));
    }
    if (buffer >= required.length) {
      int length = Math.max(buffer + 1, 2 * required.length);
      required = java.util.Arrays.copyOf(required, length);
      least = java.util.Arrays.copyOf(least, length);
    }
    least[buffer] = Math.min(required[buffer] == 0 ? Long.MAX_VALUE : least[buffer], low * size);
    required[buffer] = Math.max(required[buffer], (high + 1) * size);
    buffers = Math.max(buffers, buffer + 1);
    bytes += distinct * size;
  }

  /** Makes room for the address of a buffer that is no argument. */
  protected final void reserve(int buffer) {
    buffers = Math.max(buffers, buffer + 1);
    required = java.util.Arrays.copyOf(required, Math.max(required.length, buffers));
    least = java.util.Arrays.copyOf(least, required.length);
  }

  /** Number of buffer arguments: one more than the largest declared. */
  protected final int buffers() {
    return buffers;
  }

  protected final void describe(long operationCount, Supplier<String> text, boolean found) {
    operations = operationCount;
    source = text;
    fresh = !found;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public long operations() {
    return operations;
  }

  @Override
  public String source() {
    return source.get();
  }
}
