package ristretto.kernels.driver;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import ristretto.kernels.DeviceException;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.MemoryLimit;

/**
 * Pool of device memory. Closed buffers are kept by size class for reuse. Because work on the one
 * queue is in order, memory may be reused while earlier work on it is pending. The caller holds the
 * device's lock.
 *
 * @param <M> the driver's handle
 */
public final class MemoryPool<M> {
  private static final long SMALLEST = 256;

  /** Memory allocator of the driver. */
  public interface Source<M> {
    /** Allocates memory; returns null if there is not enough. */
    M create(long bytes);

    /** Returns memory to the driver. */
    void release(M memory);

    /** Total memory of the device, in bytes. */
    long total();

    /** Description of the device's memory, as words that follow "of". */
    String words();
  }

  private final Source<M> source;
  private final MemoryLimit limit;
  private final long total;

  /** Free memory by size class; a list, because boxed keys would cost time in launches. */
  private final List<ArrayDeque<M>> idle = new ArrayList<>();

  private final Map<Buffer, M> live = new IdentityHashMap<>();
  private long used;
  private long peak;
  private long held;
  private long idleBytes;

  public MemoryPool(Source<M> source, MemoryLimit limit) {
    this.source = source;
    this.limit = limit;
    // Read once, because it is a call of the driver and launches allocate scratch memory.
    this.total = source.total();
  }

  /**
   * Rounds a size up to a multiple of an eighth of the power of two below, which wastes at most an
   * eighth.
   */
  static long sizeClass(long bytes) {
    if (bytes <= SMALLEST) {
      return SMALLEST;
    }
    long step = Math.max(SMALLEST, Long.highestOneBit(bytes) / 8);
    return (bytes + step - 1) / step * step;
  }

  /** Returns the index of a size class; there are 8 classes per power of two. */
  private static int number(long size) {
    int power = 63 - Long.numberOfLeadingZeros(size / SMALLEST);
    return 8 * power + (int) (size / SMALLEST * 8 >> power);
  }

  private ArrayDeque<M> idle(long size) {
    int number = number(size);
    while (idle.size() <= number) {
      idle.add(new ArrayDeque<>());
    }
    return idle.get(number);
  }

  /**
   * Takes memory of at least {@code bytes} bytes from the pool or the driver.
   *
   * @throws DeviceException if there is not enough memory
   */
  public M take(long bytes) {
    long size = sizeClass(bytes);
    ArrayDeque<M> waiting = idle(size);
    if (!waiting.isEmpty()) {
      idleBytes -= size;
      return waiting.pop();
    }
    M memory = create(size);
    if (memory == null) {
      trim();
      memory = create(size);
    }
    if (memory == null) {
      throw outOfMemory(bytes);
    }
    held += size;
    return memory;
  }

  /**
   * Allocates memory within the device's total: drivers grant more memory than there is, and fail
   * when it is used.
   */
  private M create(long size) {
    boolean fits = size <= total - held && limit.allows(held, size);
    return fits ? source.create(size) : null;
  }

  /** Takes back memory that was taken for {@code bytes} bytes. */
  public void give(M memory, long bytes) {
    long size = sizeClass(bytes);
    if (idleBytes + size > total / 4) {
      source.release(memory);
      held -= size;
    } else {
      idle(size).push(memory);
      idleBytes += size;
    }
  }

  /** Registers an open buffer. */
  public void opened(Buffer buffer, M memory) {
    live.put(buffer, memory);
    used += buffer.bytes();
    peak = Math.max(peak, used);
  }

  /** Unregisters a closed buffer and takes back its memory. */
  public void closed(Buffer buffer) {
    M memory = live.remove(buffer);
    if (memory != null) {
      used -= buffer.bytes();
      give(memory, buffer.bytes());
    }
  }

  private void trim() {
    idle.forEach(all -> all.forEach(source::release));
    idle.clear();
    held -= idleBytes;
    idleBytes = 0;
  }

  private DeviceException outOfMemory(long asked) {
    return limit.exceeded(
        asked,
        used,
        held,
        " of " + source.words(),
        live.keySet().stream().map(Buffer::bytes).toList());
  }

  /** Bytes of open buffers. */
  public long used() {
    return used;
  }

  /** Largest value of {@link #used()} so far. */
  public long peak() {
    return peak;
  }

  /** Returns all memory to the driver. */
  public void close() {
    trim();
    live.keySet()
        .forEach(b -> {
          if (b instanceof DriverBuffer<?> own) {
            own.closeParts();
          }
        });
    live.values().forEach(source::release);
    live.clear();
    used = 0;
    held = 0;
  }
}
