package ristretto.tornado;

import java.lang.foreign.MemorySegment;
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
import ristretto.kernels.source.JavaDialect;
import ristretto.kernels.source.Target;
import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.exceptions.TornadoBailoutRuntimeException;
import uk.ac.manchester.tornado.api.exceptions.TornadoRuntimeException;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;

/**
 * A device of TornadoVM with one queue; programs are shared by all objects of one device. Launches
 * are asynchronous; reading waits.
 */
final class TornadoDevice implements Device {
  /** Its lock is held for all work. */
  final Accelerator accelerator;

  final Target target;
  final Programs programs;
  final Accelerator.Queue queue;
  final CacheCounters cached = new CacheCounters();

  /** Null where there is none. */
  final CuBlas library;

  private final MemoryPool<Accelerator.Memory> pool;
  private final String name;
  private Accelerator.Memory empty;
  private long launches;
  private volatile boolean closed;

  TornadoDevice(Accelerator accelerator, int index) {
    this(accelerator, index, targetOf(accelerator));
  }

  TornadoDevice(Accelerator accelerator, int index, Target target) {
    this(accelerator, index, target, accelerator.cuBlas());
  }

  TornadoDevice(Accelerator accelerator, int index, Target target, CuBlas library) {
    long start = System.nanoTime();
    this.library = library;
    this.accelerator = accelerator;
    this.target = target;
    this.name = "tornado:" + index;
    programs = Programs.of(accelerator);
    queue = accelerator.new Queue();
    pool = new MemoryPool<>(new TornadoMemory(accelerator), MemoryLimit.fromSystem("tornado"));
    Debug.log(Debug.DEVICES, () -> "[tornado] " + name + " " + description());
    Debug.log(
        Debug.DEVICES,
        () -> "[tornado] " + name + " products by " + (library == null ? "own kernels" : "cuBLAS"));
    Trace.event("open " + name, "device", start, System.nanoTime() - start);
  }

  /** Processors run a work item after the other: a lane more is a loop more, and barriers cost. */
  static Target targetOf(Accelerator accelerator) {
    int largest = (int) Math.min(1024, accelerator.largestGroup());
    return new Target(
        new JavaDialect(KernelContext.class.getName(), FloatArray.class.getPackageName()),
        accelerator.computesF64(),
        accelerator.processor() ? largest : Math.min(256, largest),
        accelerator.processor() ? 1 : Math.min(256, largest),
        accelerator.units(),
        accelerator.localMemory());
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String description() {
    return accelerator.description();
  }

  @Override
  public Buffer allocate(long bytes) {
    synchronized (accelerator) {
      checkOpen("allocate");
      if (bytes < 0) {
        throw new DeviceException(
            "[allocate] a buffer's size must not be negative; got " + bytes + " bytes");
      }
      Accelerator.Memory memory = pool.take(bytes);
      var buffer = new TornadoBuffer(this, bytes, memory);
      pool.opened(buffer, memory);
      return buffer;
    }
  }

  void released(TornadoBuffer buffer) {
    if (!closed) {
      pool.closed(buffer);
    }
  }

  /** Memory for the time of a launch. */
  Accelerator.Memory scratch(long bytes) {
    return pool.take(bytes);
  }

  void giveBack(Accelerator.Memory memory, long bytes) {
    pool.give(memory, bytes);
  }

  /** Memory for arguments that nothing is read from. */
  Accelerator.Memory empty() {
    if (empty == null) {
      empty = pool.take(0);
    }
    return empty;
  }

  @Override
  public void write(Buffer buffer, long offset, MemorySegment source) {
    synchronized (accelerator) {
      transfer("write", buffer, offset, source, true);
      ((TornadoBuffer) buffer).changed();
    }
  }

  @Override
  public void read(Buffer buffer, long offset, MemorySegment to) {
    synchronized (accelerator) {
      transfer("read", buffer, offset, to, false);
    }
  }

  private void transfer(String op, Buffer buffer, long offset, MemorySegment host, boolean write) {
    checkOpen(op);
    Accelerator.Memory memory = own(buffer, op).open(op);
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
    try {
      if (write) {
        queue.write(memory, offset, host);
      } else {
        queue.read(memory, offset, host);
      }
    } catch (TornadoBailoutRuntimeException | TornadoRuntimeException e) {
      throw Failure.of(op, name, e);
    }
    if (Trace.ON) {
      long nanos = Math.max(1, System.nanoTime() - start);
      Trace.event(op, "transfer", start, nanos, "bytes", bytes, "GB/s", (double) bytes / nanos);
    }
  }

  /** A buffer of this device. */
  TornadoBuffer own(Buffer buffer, String op) {
    if (buffer instanceof TornadoBuffer b && b.device() == this) {
      return b;
    }
    throw new DeviceException(
        "["
            + op
            + "] a buffer must be of the device that uses it; got one of another device on "
            + name
            + "; copy it through host memory");
  }

  /** The tiled kernel takes in whatever is element-wise; cuBLAS does not. */
  @Override
  public boolean fuses(Kernel.FusedGemm kernel) {
    return library == null || !library.takes(kernel.gemm());
  }

  @Override
  public Launch prepare(Kernel kernel) {
    checkOpen(kernel.name());
    return new TornadoLaunch(this, kernel);
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
  public void synchronize() {
    synchronized (accelerator) {
      checkOpen("synchronize");
      try {
        queue.finish();
      } catch (TornadoBailoutRuntimeException | TornadoRuntimeException e) {
        throw Failure.of("synchronize", name, e);
      }
    }
  }

  @Override
  public DeviceCounters counters() {
    synchronized (accelerator) {
      return new DeviceCounters(
          launches,
          cached.hits(),
          cached.misses(),
          cached.evictions(),
          cached.compileNanos(),
          pool.used(),
          pool.peak());
    }
  }

  @Override
  public void close() {
    synchronized (accelerator) {
      if (closed) {
        return;
      }
      queue.finish();
      if (library != null) {
        library.close();
      }
      queue.close();
      closed = true;
      pool.close();
      Trace.flush();
    }
  }
}
