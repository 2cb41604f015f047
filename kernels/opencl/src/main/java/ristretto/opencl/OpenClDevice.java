package ristretto.opencl;

import static org.jocl.CL.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jocl.CLException;
import org.jocl.Pointer;
import org.jocl.cl_command_queue;
import org.jocl.cl_context;
import org.jocl.cl_mem;
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
import ristretto.kernels.driver.MemoryPool;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.source.Target;

/**
 * An OpenCL device with one in-order queue; programs are shared by all objects of one device.
 * Launches are asynchronous; reading waits. All work goes through this object's lock.
 */
final class OpenClDevice implements Device {
  /** Copies of at most this many bytes at a time: a Java byte buffer has at most 2 GiB. */
  private static final long LARGEST_COPY = 1L << 30;

  /** Memory of the heap is copied through memory outside of it. */
  private static final long STAGING = 4L << 20;

  final Hardware hardware;
  final Target target;
  final cl_context context;
  final cl_command_queue queue;
  final Programs programs;
  final CacheCounters cached = new CacheCounters();
  final ClBlast blast;
  private final MemoryPool<cl_mem> pool;
  private final String name;
  private long launches;
  private volatile boolean closed;

  OpenClDevice(Hardware hardware, int index) {
    this(hardware, index, targetOf(hardware), BlasChoice.fromSystem());
  }

  OpenClDevice(Hardware hardware, int index, Target target, BlasChoice products) {
    long start = System.nanoTime();
    this.hardware = hardware;
    this.target = target;
    this.name = "opencl:" + index;
    this.blast = new ClBlast(name, hardware.cpu(), products);
    try {
      programs = Programs.of(hardware);
      context = programs.context();
      queue = createQueue();
    } catch (CLException e) {
      throw new DeviceException(
          "["
              + name
              + "] the driver must open its device; it answers "
              + e.getMessage()
              + " for "
              + hardware.name()
              + "; see whether another program holds it, or update the driver",
          e);
    }
    this.pool =
        new MemoryPool<>(new OpenClMemory(context, hardware), MemoryLimit.fromSystem("opencl"));
    Debug.log(Debug.DEVICES, () -> "[opencl] " + name + " " + description());
    Trace.event("open " + name, "device", start, System.nanoTime() - start);
  }

  // Replaced in OpenCL 2.0, but there in every version.
  @SuppressWarnings("deprecation")
  private cl_command_queue createQueue() {
    return clCreateCommandQueue(context, hardware.id(), 0, null);
  }

  /** Processors run a work item after the other: a lane more is a loop more, and barriers cost. */
  static Target targetOf(Hardware hardware) {
    int group = hardware.cpu() ? 1024 : 256;
    int vectorBytes = hardware.cpu() ? hardware.vectorBytes() : 0;
    return new Target(
        new OpenClDialect(vectorBytes / 4),
        hardware.computesF64(),
        Math.min(group, hardware.largestGroup()),
        hardware.cpu() ? 1 : Math.min(256, Math.max(1, hardware.largestGroup())),
        hardware.units(),
        hardware.localMemory(),
        vectorBytes);
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
    cl_mem memory = pool.take(bytes);
    var buffer = new OpenClBuffer(this, bytes, memory);
    pool.opened(buffer, memory);
    return buffer;
  }

  synchronized void released(OpenClBuffer buffer) {
    if (!closed) {
      pool.closed(buffer);
    }
  }

  /** Memory for the time of a launch. */
  cl_mem scratch(long bytes) {
    return pool.take(bytes);
  }

  void giveBack(cl_mem memory, long bytes) {
    pool.give(memory, bytes);
  }

  @Override
  public synchronized void write(Buffer buffer, long offset, MemorySegment source) {
    transfer("write", buffer, offset, source, true);
    ((OpenClBuffer) buffer).changed();
  }

  @Override
  public synchronized void read(Buffer buffer, long offset, MemorySegment to) {
    transfer("read", buffer, offset, to, false);
  }

  private void transfer(String op, Buffer buffer, long offset, MemorySegment host, boolean write) {
    checkOpen(op);
    cl_mem memory = own(buffer, op).open(op);
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
    try (Arena arena = Arena.ofConfined()) {
      boolean heap = !host.isNative();
      MemorySegment staging = heap ? arena.allocate(Math.min(bytes, STAGING), 64) : null;
      long step = heap ? STAGING : LARGEST_COPY;
      for (long done = 0; done < bytes; done += step) {
        MemorySegment part = host.asSlice(done, Math.min(step, bytes - done));
        MemorySegment native0 = heap ? staging.asSlice(0, part.byteSize()) : part;
        Pointer pointer = Pointer.toBuffer(native0.asByteBuffer());
        long at = offset + done;
        long size = part.byteSize();
        if (write) {
          if (heap) {
            native0.copyFrom(part);
          }
          clEnqueueWriteBuffer(queue, memory, true, at, size, pointer, 0, null, null);
        } else {
          clEnqueueReadBuffer(queue, memory, true, at, size, pointer, 0, null, null);
          if (heap) {
            part.copyFrom(native0);
          }
        }
      }
    } catch (CLException e) {
      throw failed(op, e);
    }
    if (Trace.ON) {
      long nanos = Math.max(1, System.nanoTime() - start);
      Trace.event(op, "transfer", start, nanos, "bytes", bytes, "GB/s", (double) bytes / nanos);
    }
  }

  /** A buffer of this device. */
  OpenClBuffer own(Buffer buffer, String op) {
    if (buffer instanceof OpenClBuffer b && b.device() == this) {
      return b;
    }
    throw new DeviceException(
        "["
            + op
            + "] a buffer must be of the device that uses it; got one of another device on "
            + name
            + "; copy it through host memory");
  }

  /** What a failed call to the driver means to the user. */
  DeviceException failed(String op, CLException e) {
    return Failure.of(op, hardware.name(), e);
  }

  /** The tiled kernel takes in whatever is element-wise; CLBlast does not. */
  @Override
  public boolean fuses(Kernel.FusedGemm kernel) {
    return !blast.takes(kernel.gemm());
  }

  @Override
  public Launch prepare(Kernel kernel) {
    checkOpen(kernel.name());
    return new OpenClLaunch(this, kernel);
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
    try {
      clFinish(queue);
    } catch (CLException e) {
      throw failed("synchronize", e);
    }
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
    try {
      clFinish(queue);
    } catch (CLException e) {
      Debug.log(Debug.DEVICES, () -> "[opencl] " + name + " closes with " + e.getMessage());
    }
    closed = true;
    pool.close();
    clReleaseCommandQueue(queue);
    Trace.flush();
  }
}
