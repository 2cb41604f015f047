package ristretto.kernels.cpu;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import ristretto.kernels.ClosedException;
import ristretto.kernels.cache.CacheCounters;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.debug.Trace;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.DeviceCounters;
import ristretto.kernels.device.Launch;
import ristretto.kernels.ir.Kernel;

/**
 * Embedded device: runs kernels on the threads of this process. A launch is complete when {@code
 * run} returns.
 */
final class CpuDevice implements Device {
  /** Alignment of parts of a buffer in bytes, which is that of buffers. */
  private static final int PART_ALIGNMENT = 64;

  private final MemoryPool pool;
  private final StripCache cache = StripCache.SHARED;
  private final CacheCounters cached = new CacheCounters();
  final Team team;
  final Workspaces workspaces;
  private final Convolutions convolutions = new Convolutions();
  private final AtomicLong entered = new AtomicLong();

  /** Number of reads and writes of buffers, which {@link #entered} counts as well as launches. */
  private final AtomicLong transfers = new AtomicLong();

  private final AtomicLong left = new AtomicLong();
  private volatile boolean closed;

  CpuDevice(CpuSettings settings) {
    long start = System.nanoTime();
    this.pool = new MemoryPool(settings.memoryLimit());
    this.workspaces = new Workspaces(pool);
    this.team = new Team(settings.threads());
    Debug.log(Debug.DEVICES, () -> "[cpu] " + description());
    Trace.event("open cpu", "device", start, System.nanoTime() - start);
  }

  @Override
  public String name() {
    return "cpu";
  }

  @Override
  public String description() {
    return describe(team.size());
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
  public void write(Buffer buffer, long offset, MemorySegment source) {
    transfers.getAndIncrement();
    enter();
    try {
      long address = part("write", buffer, offset, source.byteSize());
      long start = System.nanoTime();
      MemorySegment.copy(source, 0, Raw.ALL, address, source.byteSize());
      transferred("write", start, source.byteSize());
    } finally {
      leave();
    }
  }

  @Override
  public void read(Buffer buffer, long offset, MemorySegment target) {
    transfers.getAndIncrement();
    enter();
    try {
      long address = part("read", buffer, offset, target.byteSize());
      long start = System.nanoTime();
      MemorySegment.copy(Raw.ALL, address, target, 0, target.byteSize());
      transferred("read", start, target.byteSize());
    } finally {
      leave();
    }
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
          "["
              + op
              + "] the part must lie within the buffer; got "
              + bytes
              + " bytes from "
              + offset
              + " of "
              + own.bytes()
              + " bytes; correct the offset or the size");
    }
    return address + offset;
  }

  @Override
  public boolean fusesSome() {
    return false;
  }

  @Override
  public boolean joinsColumns() {
    return true;
  }

  @Override
  public int panelColumns(long columns) {
    OpenBlasLibrary.load();
    return OpenBlas.readsInPlace() ? ProductBlocks.panelColumns(columns) : 0;
  }

  @Override
  public boolean convolves(Kernel.Convolution kernel) {
    return convolutions.routine(kernel).isPresent();
  }

  @Override
  public Launch prepare(Kernel kernel) {
    checkOpen();
    return switch (kernel) {
      case Kernel.Map k -> {
        CopyLaunch copy = CopyLaunch.of(this, k);
        yield copy == null ? new MapLaunch(this, k) : copy;
      }
      case Kernel.Row k -> new RowLaunch(this, k);
      case Kernel.Scan k -> new ScanLaunch(this, k);
      case Kernel.Scatter k -> new ScatterLaunch(this, k);
      case Kernel.Gemm k -> new GemmLaunch(this, k);
      case Kernel.FusedGemm k ->
          throw new IllegalStateException("[" + k.name() + "] the cpu device fuses no products");
      case Kernel.Sort k -> new SortLaunch(this, k);
      case Kernel.Convolution k ->
          new ConvolutionLaunch(this, k, convolutions.routine(k).orElseThrow());
    };
  }

  /** Returns the strip for {@code key}, compiling it if it is not cached. */
  StripCode strip(StripKey key, String name) {
    return cache.strip(key, name, cached);
  }

  RowStages stages(RowStages.Key key, String name) {
    return cache.stages(key, name);
  }

  boolean cached(StripKey key) {
    return cache.contains(key);
  }

  /** Begins work on buffers; {@link #close} frees no memory before the matching {@link #leave}. */
  void enter() {
    entered.getAndIncrement();
    if (closed) {
      leave();
      checkOpen();
    }
  }

  void leave() {
    left.getAndIncrement();
  }

  private void checkOpen() {
    if (closed) {
      throw new ClosedException(
          "[launch] a device must be open to run kernels; got a closed cpu device; open a new"
              + " context");
    }
  }

  @Override
  public void synchronize() {
    // Launches are complete when run returns.
  }

  @Override
  public DeviceCounters counters() {
    return new DeviceCounters(
        entered.get() - transfers.get(),
        cached.hits(),
        cached.misses(),
        cached.evictions(),
        cached.compileNanos(),
        pool.used(),
        pool.peak());
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    while (left.get() < entered.get()) {
      Thread.onSpinWait();
    }
    team.close();
    pool.close();
    Trace.flush();
  }
}
