package ristretto.cuda;

import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import jcuda.driver.CUstream_flags;
import jcuda.driver.JCudaDriver;
import ristretto.kernels.ClosedException;
import ristretto.kernels.DeviceException;
import ristretto.kernels.cache.CacheCounters;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.debug.Trace;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.DeviceCounters;
import ristretto.kernels.device.Launch;
import ristretto.kernels.device.MemoryLimit;
import ristretto.kernels.device.Recording;
import ristretto.kernels.driver.MemoryPool;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.source.Target;

/**
 * A GPU with one stream; programs are shared by all objects of one GPU. Launches are asynchronous;
 * reading waits. All work goes through this object's lock.
 */
final class CudaDevice implements Device {
  final Hardware hardware;
  final Target target;
  final Programs programs;
  final Handles.Stream stream = new Handles.Stream();
  final CacheCounters cached = new CacheCounters();
  private final MemoryPool<Handles.Memory> pool;
  final Products products;
  private final Staging staging;
  private final String name;
  private final Set<CudaRecording.Resources> recordings = new HashSet<>();
  private long launches;
  private boolean toldOfGraphs;
  private volatile boolean closed;

  CudaDevice(Hardware hardware) {
    this(hardware, targetOf(hardware));
  }

  CudaDevice(Hardware hardware, Target target) {
    long start = System.nanoTime();
    this.hardware = hardware;
    this.target = target;
    this.name = "cuda:" + hardware.index();
    programs = Programs.of(hardware);
    enter();
    check(JCudaDriver.cuStreamCreate(stream, CUstream_flags.CU_STREAM_NON_BLOCKING), "open");
    if (hardware.pools()) {
      check(Calls.keepPooled(hardware.index()), "open");
    }
    pool = new MemoryPool<>(new CudaMemory(hardware, stream), MemoryLimit.fromSystem("cuda"));
    products = new Products(this, BlasChoice.fromSystem());
    staging = new Staging(hardware, stream);
    Debug.log(Debug.DEVICES, () -> "[cuda] " + name + " " + description());
    Trace.event("open " + name, "device", start, System.nanoTime() - start);
  }

  static Target targetOf(Hardware hardware) {
    return new Target(
        new CudaDialect(), true, 256, 256, hardware.units(), hardware.shared(), 0, true);
  }

  /** Makes this GPU the one that the thread's calls belong to. */
  void enter() {
    check(Calls.setContext(programs.context()), "open");
  }

  void check(int status, String op) {
    Failure.check(status, op, hardware);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String description() {
    return hardware.description();
  }

  @Override
  public synchronized Buffer allocate(long bytes) {
    checkOpen("allocate");
    if (bytes < 0) {
      throw new DeviceException(
          "[allocate] a buffer's size must not be negative; got " + bytes + " bytes");
    }
    enter();
    Handles.Memory memory = pool.take(bytes);
    var buffer = new CudaBuffer(this, bytes, memory);
    pool.opened(buffer, memory);
    return buffer;
  }

  synchronized void released(CudaBuffer buffer) {
    if (!closed) {
      enter();
      pool.closed(buffer);
    }
  }

  /** Memory for the time of a launch. */
  Handles.Memory scratch(long bytes) {
    return pool.take(bytes);
  }

  void giveBack(Handles.Memory memory, long bytes) {
    pool.give(memory, bytes);
  }

  @Override
  public synchronized void write(Buffer buffer, long offset, MemorySegment source) {
    transfer("write", buffer, offset, source, true);
    ((CudaBuffer) buffer).changed();
  }

  @Override
  public synchronized void read(Buffer buffer, long offset, MemorySegment to) {
    transfer("read", buffer, offset, to, false);
  }

  private void transfer(String op, Buffer buffer, long offset, MemorySegment host, boolean write) {
    checkOpen(op);
    long address = own(buffer, op).open(op) + offset;
    long bytes = host.byteSize();
    if (offset < 0 || bytes > buffer.bytes() - offset) {
      throw new IndexOutOfBoundsException(
          "["
              + op
              + "] the part must lie within the buffer; got "
              + bytes
              + " bytes from "
              + offset
              + " of "
              + buffer.bytes()
              + " bytes; correct the offset or the size");
    }
    long start = System.nanoTime();
    enter();
    if (write) {
      staging.write(address, host);
    } else {
      staging.read(host, address);
    }
    if (Trace.ON) {
      long nanos = Math.max(1, System.nanoTime() - start);
      Trace.event(op, "transfer", start, nanos, "bytes", bytes, "GB/s", (double) bytes / nanos);
    }
  }

  /** A buffer of this device. */
  CudaBuffer own(Buffer buffer, String op) {
    if (buffer instanceof CudaBuffer b && b.device() == this) {
      return b;
    }
    throw new DeviceException(
        "["
            + op
            + "] a buffer must be of the device that uses it; got one of another device on "
            + name
            + "; copy it through host memory");
  }

  @Override
  public Launch prepare(Kernel kernel) {
    checkOpen(kernel.name());
    return new CudaLaunch(this, kernel);
  }

  /**
   * Products of our own kernels take in what surrounds them; the library's a bias and some
   * functions.
   */
  @Override
  public boolean fuses(Kernel.FusedGemm kernel) {
    return !products.takes(kernel.gemm()) || products.fused(kernel).isPresent();
  }

  /**
   * As a CUDA graph. Where the driver makes none, launches remain launches, which is said once: a
   * program still does what it must.
   */
  @Override
  public synchronized Optional<Recording> record(
      List<Launch> all, Buffer[] buffers, long[] scalars) {
    checkOpen("record");
    enter();
    try {
      return Optional.ofNullable(CudaRecording.of(this, all, buffers, scalars));
    } catch (DeviceException e) {
      if (!toldOfGraphs) {
        toldOfGraphs = true;
        System.err.println(
            "[cuda] a program is no CUDA graph, but "
                + all.size()
                + " launches: "
                + e.getMessage());
      }
      return Optional.empty();
    }
  }

  void recorded(CudaRecording.Resources resources) {
    recordings.add(resources);
  }

  void forgotten(CudaRecording.Resources resources) {
    recordings.remove(resources);
  }

  void launched() {
    launches++;
  }

  boolean closed() {
    return closed;
  }

  void checkOpen(String op) {
    if (closed) {
      throw new ClosedException(
          "["
              + op
              + "] a device must be open to be used; got a closed "
              + name
              + " device; open a new context");
    }
  }

  @Override
  public synchronized void synchronize() {
    checkOpen("synchronize");
    enter();
    check(JCudaDriver.cuStreamSynchronize(stream), "synchronize");
  }

  @Override
  public synchronized DeviceCounters counters() {
    return new DeviceCounters(
        launches,
        cached.hits(),
        cached.misses(),
        cached.evictions(),
        cached.compileNanos(),
        pool.used(),
        pool.peak());
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    enter();
    int status = JCudaDriver.cuStreamSynchronize(stream);
    Debug.log(Debug.DEVICES, () -> "[cuda] " + name + " closes with status " + status);
    List.copyOf(recordings).forEach(CudaRecording.Resources::run);
    products.close();
    closed = true;
    pool.close();
    staging.close();
    JCudaDriver.cuStreamDestroy(stream);
    Trace.flush();
  }
}
