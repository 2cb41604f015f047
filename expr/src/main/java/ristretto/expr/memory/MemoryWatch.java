package ristretto.expr.memory;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import ristretto.kernels.device.Device;

/**
 * Open devices of the process and the memory they hold. Unreachable tensors and contexts are found
 * by the garbage collector, which does not run while only device memory grows. The watch therefore
 * requests a collection before as many bytes are allocated as were reachable after the last one.
 */
public final class MemoryWatch {
  /** Least number of allocated bytes that triggers a collection. */
  private static final long LEAST_BYTES = 256L << 20;

  /**
   * Fresh memory that the operating system maps and clears in a nanosecond, at best: a collection
   * that makes the next allocations reuse memory is worth its time after so many bytes.
   */
  private static final long BYTES_A_NANO = 8;

  /** Most bytes allocated between collections that are not slow, as a multiple of the least. */
  private static final long MOST = 4;

  /** Least number of open devices that triggers a collection. */
  private static final int LEAST_DEVICES = 32;

  /** Duration above which collections are made less often, if they also take most of the time. */
  private static final long SLOW_NANOS = 1_000_000_000L;

  private static final MemoryWatch PROCESS = new MemoryWatch(LEAST_BYTES);

  private final Set<Device> open = ConcurrentHashMap.newKeySet();
  private final AtomicLong allocated = new AtomicLong();
  private final long leastBytes;
  private volatile long mostAllocated;
  private volatile int mostDevices = LEAST_DEVICES;
  private long reachable;
  private long patience;
  private long lastEnd = System.nanoTime();
  private int collections;

  public MemoryWatch(long leastBytes) {
    this.leastBytes = leastBytes;
    this.patience = leastBytes;
    this.mostAllocated = leastBytes;
  }

  /** Watch over the devices of all contexts of the process. */
  public static MemoryWatch ofProcess() {
    return PROCESS;
  }

  /**
   * Watches a device and closes it when {@code context} becomes unreachable.
   *
   * @return closes the device; may run several times
   */
  public Runnable opened(Object context, Device device) {
    if (open.size() >= mostDevices) {
      collect();
    }
    open.add(device);
    Runnable close =
        () -> {
          open.remove(device);
          device.close();
        };
    Reclaimer.whenGone(context, close);
    return close;
  }

  /** Announces an allocation of {@code bytes}; collects garbage if due. */
  void allocating(long bytes) {
    if (allocated.addAndGet(bytes) > mostAllocated) {
      collectIfWorthwhile(bytes);
    }
  }

  private synchronized void collectIfWorthwhile(long bytes) {
    // Memory freed in the meantime no longer counts.
    long since = used() + bytes - reachable;
    if (since <= mostAllocated) {
      allocated.set(since);
    } else {
      collect();
      allocated.set(bytes);
    }
  }

  private synchronized void collect() {
    long start = System.nanoTime();
    Reclaimer.collect();
    long end = System.nanoTime();
    boolean slow = end - start > SLOW_NANOS && 2 * (end - start) > end - lastEnd;
    patience =
        slow
            ? Math.min(2 * Math.max(patience, MOST * leastBytes), 8 * MOST * leastBytes)
            : Math.clamp((end - start) * BYTES_A_NANO, leastBytes, MOST * leastBytes);
    lastEnd = end;
    collections++;
    reachable = used();
    mostAllocated = Math.max(patience, reachable);
    mostDevices = Math.max(LEAST_DEVICES, 2 * open.size());
  }

  /** Number of requested collections. */
  public synchronized int collections() {
    return collections;
  }

  /** Number of open devices. */
  public int openDevices() {
    return open.size();
  }

  /** Waits until all launches of all open devices have finished. */
  public void synchronize() {
    open.forEach(Device::synchronize);
  }

  private long used() {
    return open.stream().mapToLong(d -> d.counters().bytesAllocated()).sum();
  }
}
