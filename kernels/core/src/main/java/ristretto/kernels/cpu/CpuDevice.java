package ristretto.kernels.cpu;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import ristretto.kernels.block.BlockFormat;
import ristretto.kernels.cache.CacheCounters;
import ristretto.kernels.cpu.blas.OpenBlas;
import ristretto.kernels.cpu.blas.OpenBlasLibrary;
import ristretto.kernels.cpu.block.BlockLaunch;
import ristretto.kernels.cpu.convolution.ConvolutionChoice;
import ristretto.kernels.cpu.convolution.ConvolutionLaunch;
import ristretto.kernels.cpu.fourier.FourierLaunch;
import ristretto.kernels.cpu.gemm.GemmBlocks;
import ristretto.kernels.cpu.gemm.GemmLaunch;
import ristretto.kernels.cpu.gemm.IntegerProduct;
import ristretto.kernels.cpu.launch.CopyLaunch;
import ristretto.kernels.cpu.launch.LaunchServices;
import ristretto.kernels.cpu.launch.MapLaunch;
import ristretto.kernels.cpu.launch.RecurrenceLaunch;
import ristretto.kernels.cpu.launch.ScanLaunch;
import ristretto.kernels.cpu.launch.ScatterLaunch;
import ristretto.kernels.cpu.launch.SortLaunch;
import ristretto.kernels.cpu.memory.CpuBuffer;
import ristretto.kernels.cpu.memory.CpuMemoryPool;
import ristretto.kernels.cpu.memory.RawMemory;
import ristretto.kernels.cpu.memory.Workspaces;
import ristretto.kernels.cpu.rows.RowLaunch;
import ristretto.kernels.cpu.runtime.Job;
import ristretto.kernels.cpu.runtime.ThreadContext;
import ristretto.kernels.cpu.runtime.VectorHardware;
import ristretto.kernels.cpu.runtime.WorkerPool;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.debug.Trace;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.DeviceCounters;
import ristretto.kernels.device.Launch;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.VerifyKernel;
import ristretto.kernels.scalar.ScalarType;

/**
 * Embedded device: runs kernels on the threads of this process. A launch is complete when {@code
 * run} returns.
 */
final class CpuDevice implements Device {
  /** Alignment of parts of a buffer in bytes, which is that of buffers. */
  private static final int PART_ALIGNMENT = 64;

  /** Least bytes of a transfer that a thread copies. */
  private static final int LEAST_PART = 256 << 10;

  /** Any other thread, to ask whether memory is confined to its own. */
  private static final Thread ANOTHER = Thread.ofVirtual().unstarted(() -> {});

  private final CpuMemoryPool pool;
  private final LaunchServices services;
  private final ConvolutionChoice convolutions = new ConvolutionChoice();

  /** Number of reads and writes of buffers, which {@link LaunchServices#entered} counts as well. */
  private final AtomicLong transfers = new AtomicLong();

  CpuDevice(CpuSettings settings) {
    long start = System.nanoTime();
    this.pool = new CpuMemoryPool(settings.memoryLimit());
    this.services = new LaunchServices(new WorkerPool(settings.threads()), new Workspaces(pool));
    Debug.log(Debug.DEVICES, () -> "[cpu] " + description());
    Trace.event("open cpu", "device", start, System.nanoTime() - start);
  }

  @Override
  public String name() {
    return "cpu";
  }

  @Override
  public String description() {
    return describe(services.workers.size());
  }

  static String describe(int threads) {
    return CpuSettings.processor()
        + ", "
        + threads
        + (threads == 1 ? " thread, " : " threads, ")
        + VectorHardware.description();
  }

  @Override
  public Buffer allocate(long bytes) {
    return pool.allocate(bytes);
  }

  @Override
  public int partAlignment() {
    return PART_ALIGNMENT;
  }

  @Override
  public Optional<Buffer> part(Buffer whole, long offset, long bytes) {
    part("part", whole, offset, bytes);
    return Optional.of(((CpuBuffer) whole).part(offset, bytes));
  }

  @Override
  public Optional<Buffer> wrap(MemorySegment memory) {
    return Optional.of(new CpuBuffer(pool, memory));
  }

  @Override
  public void write(Buffer buffer, long offset, MemorySegment source) {
    transfers.getAndIncrement();
    services.enter();
    try {
      long bytes = source.byteSize();
      long address = part("write", buffer, offset, bytes);
      long start = System.nanoTime();
      copy(source, 0, RawMemory.ALL, address, bytes);
      transferred("write", start, bytes);
    } finally {
      services.leave();
    }
  }

  @Override
  public void read(Buffer buffer, long offset, MemorySegment target) {
    transfers.getAndIncrement();
    services.enter();
    try {
      long bytes = target.byteSize();
      long address = part("read", buffer, offset, bytes);
      long start = System.nanoTime();
      copy(RawMemory.ALL, address, target, 0, bytes);
      transferred("read", start, bytes);
    } finally {
      services.leave();
    }
  }

  @Override
  public Optional<MemorySegment> hostMemory(Buffer buffer) {
    long address = part("host", buffer, 0, buffer.bytes());
    return Optional.of(RawMemory.ALL.asSlice(address, buffer.bytes()));
  }

  @Override
  public void runOnHost(int tasks, IntConsumer task) {
    transfers.getAndIncrement();
    services.enter();
    try {
      // A job of its own: a task may launch kernels.
      for (int first = 0; first < tasks; first += Job.MOST_CHUNKS) {
        int start = first;
        services.workers.run(
            new Job(ThreadContext.current()),
            (_, index, _, _) -> task.accept(start + index),
            Math.min(Job.MOST_CHUNKS, tasks - first));
      }
    } finally {
      services.leave();
    }
  }

  /** Copies on all threads if there are many bytes, and other threads may access the memory. */
  private void copy(MemorySegment from, long fromAt, MemorySegment to, long toAt, long bytes) {
    int parts = (int) Math.min(Job.MOST_CHUNKS, bytes / LEAST_PART);
    if (parts < 2 || !from.isAccessibleBy(ANOTHER) || !to.isAccessibleBy(ANOTHER)) {
      MemorySegment.copy(from, fromAt, to, toAt, bytes);
      return;
    }
    services.workers.run(
        new Job(ThreadContext.current()),
        (_, index, count, _) -> {
          long at = bytes * index / count;
          long size = bytes * (index + 1) / count - at;
          MemorySegment.copy(from, fromAt + at, to, toAt + at, size);
        },
        parts);
  }

  private static void transferred(String what, long start, long bytes) {
    if (Trace.ON) {
      long nanos = Math.max(1, System.nanoTime() - start);
      double speed = (double) bytes / nanos;
      Trace.event(what, "transfer", start, nanos, "bytes", bytes, "GB/s", speed);
    }
  }

  private static long part(String op, Buffer buffer, long offset, long bytes) {
    CpuBuffer own = (CpuBuffer) buffer;
    long address = own.address(op);
    if (offset < 0 || bytes > own.bytes() - offset) {
      throw new IndexOutOfBoundsException(
          ("[%s] the range must lie within the buffer; got %s bytes from %s of %s bytes;"
                  + " correct the offset or the size")
              .formatted(op, bytes, offset, own.bytes()));
    }
    return address + offset;
  }

  @Override
  public boolean multiplies(ScalarType type) {
    return switch (type) {
      case F32, F64, I32, I64 -> true;
      default -> false;
    };
  }

  @Override
  public boolean fuses(Kernel.FusedGemm kernel) {
    return BlockLaunch.fuses(kernel);
  }

  @Override
  public boolean supportsFusedColumnSums() {
    return true;
  }

  @Override
  public int panelColumns(long columns) {
    OpenBlasLibrary.load();
    return OpenBlas.readsInPlace() ? GemmBlocks.panelColumns(columns) : 0;
  }

  @Override
  public boolean convolves(Kernel.Convolution kernel) {
    return convolutions.routine(kernel).isPresent();
  }

  @Override
  public Optional<Kernel.Fourier.Layout> transforms() {
    return Optional.of(Kernel.Fourier.Layout.PLANES);
  }

  @Override
  public void expect(BlockFormat format, long elements) {
    BlockLaunch.expect(format, elements);
  }

  @Override
  public Launch prepare(Kernel kernel) {
    services.checkOpen();
    assert VerifyKernel.check(kernel, "planning") == kernel;
    return switch (kernel) {
      case Kernel.Map k -> {
        CopyLaunch copy = CopyLaunch.of(services, k);
        yield copy == null ? new MapLaunch(services, k) : copy;
      }
      case Kernel.Row k -> new RowLaunch(services, k);
      case Kernel.Scan k -> new ScanLaunch(services, k);
      case Kernel.Recurrence k -> new RecurrenceLaunch(services, k);
      case Kernel.Scatter k -> new ScatterLaunch(services, k);
      case Kernel.Gemm k ->
          k.type().isFloat() ? new GemmLaunch(services, k) : new IntegerProduct(services, k);
      case Kernel.FusedGemm k -> new BlockLaunch(services, k);
      case Kernel.BlockGemm k -> new BlockLaunch(services, k);
      case Kernel.Sort k -> new SortLaunch(services, k);
      case Kernel.Convolution k ->
          new ConvolutionLaunch(services, k, convolutions.routine(k).orElseThrow());
      case Kernel.Fourier k -> new FourierLaunch(services, k);
    };
  }

  @Override
  public void synchronize() {
    // Launches are complete when run returns.
  }

  @Override
  public DeviceCounters counters() {
    CacheCounters cached = services.counters();
    return new DeviceCounters(
        services.entered() - transfers.get(),
        cached.hits(),
        cached.misses(),
        cached.evictions(),
        cached.compileNanos(),
        pool.used(),
        pool.peak());
  }

  @Override
  public void close() {
    if (services.close()) {
      pool.close();
      Trace.flush();
    }
  }
}
