package ristretto.kernels.driver;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import ristretto.kernels.ClosedException;
import ristretto.kernels.DeviceException;
import ristretto.kernels.cache.CacheCounters;
import ristretto.kernels.debug.Debug;
import ristretto.kernels.debug.Trace;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.DeviceCounters;
import ristretto.kernels.device.MemoryLimit;

/**
 * Device of a driver with one queue, which runs work in order. Launches are asynchronous; reads
 * wait. All operations hold one lock.
 *
 * @param <M> the driver's handle of memory
 */
public abstract class DriverDevice<M> implements Device {
  /**
   * OpenCL guarantees 1024 bytes of arguments, 128 of 8 bytes; methods of Java have at most 255
   * words. There are further arguments, for sizes and results.
   */
  private static final int MOST_OPERANDS = 64;

  /** Lock held by all operations. */
  protected final Object lock;

  private final CacheCounters cached = new CacheCounters();
  private final String kind;
  private final String name;
  private final MemoryPool<M> pool;
  private long launches;
  private volatile boolean closed;

  /**
   * Opens a device.
   *
   * @param kind name of the devices without a number
   * @param lock the lock to hold; null for this object
   */
  protected DriverDevice(String kind, int index, Object lock, MemoryPool.Source<M> memory) {
    this.kind = kind;
    this.name = kind + ":" + index;
    this.lock = lock == null ? this : lock;
    this.pool = new MemoryPool<>(memory, MemoryLimit.fromSystem(kind));
  }

  @Override
  public int mostOperands() {
    return MOST_OPERANDS;
  }

  // ---- driver-specific operations ------------------------------------------------------------

  /** Makes this device current for driver calls of this thread. */
  protected void enter() {}

  /** Copies to the device; the caller may change {@code source} afterwards. */
  protected abstract void copyIn(M memory, long offset, MemorySegment source);

  /** Copies from the device, after all work on the memory is done. */
  protected abstract void copyOut(M memory, long offset, MemorySegment to);

  /** Returns a handle of a part of {@code whole}; null if the driver has no such handles. */
  protected M part(M whole, long offset, long bytes) {
    return null;
  }

  /** Releases the handle of a part, but not its memory. */
  protected void releasePart(M part) {}

  /**
   * Waits for all work.
   *
   * @param op operation that waits, for messages
   */
  protected abstract void finish(String op);

  /** Waits for all work, and releases the resources that refer to memory. */
  protected abstract void closing();

  /** Releases the remaining resources, after all memory. */
  protected abstract void released();

  // ---- common operations ---------------------------------------------------------------------

  /** Logs that the device is open; {@code start} is the time when opening began. */
  protected final void opened(long start) {
    Debug.log(Debug.DEVICES, () -> "[" + kind + "] " + name + " " + description());
    Trace.event("open " + name, "device", start, System.nanoTime() - start);
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final Buffer allocate(long bytes) {
    synchronized (lock) {
      checkOpen("allocate");
      if (bytes < 0) {
        throw new DeviceException(
            "[allocate] a buffer's size must not be negative; got " + bytes + " bytes");
      }
      enter();
      M memory = pool.take(bytes);
      var buffer = new DriverBuffer<>(this, bytes, memory);
      pool.opened(buffer, memory);
      return buffer;
    }
  }

  @Override
  public final Optional<Buffer> part(Buffer whole, long offset, long bytes) {
    synchronized (lock) {
      M memory = part("part", whole, offset, bytes);
      M part = partAlignment() == 0 ? null : part(memory, offset, bytes);
      return part == null
          ? Optional.empty()
          : Optional.of(new DriverBuffer<>(this, bytes, part, own(whole, "part")));
    }
  }

  final void released(DriverBuffer<M> buffer) {
    if (!closed) {
      enter();
      pool.closed(buffer);
    }
  }

  /** Allocates memory for the duration of a launch. */
  public final M scratch(long bytes) {
    return pool.take(bytes);
  }

  /** Returns {@link #scratch} memory to the pool. */
  public final void giveBack(M memory, long bytes) {
    pool.give(memory, bytes);
  }

  @Override
  public final void write(Buffer buffer, long offset, MemorySegment source) {
    synchronized (lock) {
      M memory = part("write", buffer, offset, source.byteSize());
      long start = System.nanoTime();
      copyIn(memory, offset, source);
      copied("write", start, source.byteSize());
      own(buffer, "write").changed();
    }
  }

  @Override
  public final void read(Buffer buffer, long offset, MemorySegment to) {
    synchronized (lock) {
      M memory = part("read", buffer, offset, to.byteSize());
      long start = System.nanoTime();
      copyOut(memory, offset, to);
      copied("read", start, to.byteSize());
    }
  }

  private M part(String op, Buffer buffer, long offset, long bytes) {
    checkOpen(op);
    M memory = own(buffer, op).open(op);
    if (offset < 0 || bytes > buffer.bytes() - offset) {
      throw new IndexOutOfBoundsException(
          ("[%s] the range must lie within the buffer; got %s bytes from %s of %s bytes;"
                  + " correct the offset or the size")
              .formatted(op, bytes, offset, buffer.bytes()));
    }
    enter();
    return memory;
  }

  private static void copied(String op, long start, long bytes) {
    if (Trace.ON) {
      long nanos = Math.max(1, System.nanoTime() - start);
      Trace.event(op, "transfer", start, nanos, "bytes", bytes, "GB/s", (double) bytes / nanos);
    }
  }

  /** Returns a buffer of this device as its own type; refuses buffers of other devices. */
  @SuppressWarnings("unchecked")
  final DriverBuffer<M> own(Buffer buffer, String op) {
    if (buffer instanceof DriverBuffer<?> b && b.device() == this) {
      return (DriverBuffer<M>) b;
    }
    throw new DeviceException(
        "["
            + op
            + "] a buffer must belong to the device that uses it; got one of another device on "
            + name
            + "; copy it through host memory");
  }

  /** Counters of the launches' use of the program cache. */
  public final CacheCounters cached() {
    return cached;
  }

  final void launched() {
    launches++;
  }

  /** Returns true if the device is closed. */
  public final boolean closed() {
    return closed;
  }

  /**
   * Checks that the device is open.
   *
   * @param op operation that needs the device, for messages
   * @throws ClosedException if the device is closed
   */
  public final void checkOpen(String op) {
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
  public final void synchronize() {
    synchronized (lock) {
      checkOpen("synchronize");
      enter();
      finish("synchronize");
    }
  }

  @Override
  public final DeviceCounters counters() {
    synchronized (lock) {
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
  public final void close() {
    synchronized (lock) {
      if (closed) {
        return;
      }
      enter();
      closing();
      closed = true;
      pool.close();
      released();
      Trace.flush();
    }
  }
}
