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
 * Device memory. Buffers that are closed wait here for the next of their size class; work on one
 * queue is in order, so that a buffer may be given away while work on it is still to be done. Used
 * under the device's lock.
 *
 * @param <M> the driver's handle
 */
public final class MemoryPool<M> {
  private static final long SMALLEST = 256;

  /** The driver's memory. */
  public interface Source<M> {
    /** New memory; null where there is none. */
    M create(long bytes);

    /** Gives memory back to the driver. */
    void release(M memory);

    /** All that the device has, in bytes. */
    long total();

    /** What the device has, as words that follow "of". */
    String words();
  }

  private final Source<M> source;
  private final MemoryLimit limit;
  private final long total;

  /** By size class; no boxed keys, because launches take memory too. */
  private final List<ArrayDeque<M>> idle = new ArrayList<>();

  private final Map<Buffer, M> live = new IdentityHashMap<>();
  private long used;
  private long peak;
  private long held;
  private long idleBytes;

  public MemoryPool(Source<M> source, MemoryLimit limit) {
    this.source = source;
    this.limit = limit;
    // Asked once: it is a call of the driver, and launches come by here.
    this.total = source.total();
  }

  /** Multiples of an eighth of the power of two below: at most an eighth is wasted. */
  static long sizeClass(long bytes) {
    if (bytes <= SMALLEST) {
      return SMALLEST;
    }
    long step = Math.max(SMALLEST, Long.highestOneBit(bytes) / 8);
    return (bytes + step - 1) / step * step;
  }

  /** Counts the size classes below; grows by 8 with each power of two. */
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

  /** Memory of at least {@code bytes}. @throws DeviceException if there is none */
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

  /** Drivers promise more memory than there is, and fail when it is used. */
  private M create(long size) {
    boolean fits = size <= total - held && limit.allows(held, size);
    return fits ? source.create(size) : null;
  }

  /** Takes memory back that was taken for {@code bytes}. */
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

  /** A buffer came to be. */
  public void opened(Buffer buffer, M memory) {
    live.put(buffer, memory);
    used += buffer.bytes();
    peak = Math.max(peak, used);
  }

  /** A buffer is closed; its memory is taken back. */
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

  /** The most there ever were of them. */
  public long peak() {
    return peak;
  }

  /** Gives everything back. */
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
