package ristretto.expr;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import ristretto.kernels.device.Device;

/**
 * The open devices of the process and what they hold. Tensors and contexts that nothing uses any
 * more are found by the garbage collector, which does not look for them while only device memory
 * grows: so it is asked to before as much is allocated as was reachable last time.
 */
final class MemoryWatch {
  /** Bytes that may be unreachable in any case; fewer are not worth a collection. */
  private static final long LEAST_BYTES = 1L << 30;

  /** Devices that may be unreachable in any case. */
  private static final int LEAST_DEVICES = 32;

  /** Collections of large heaps that take longer, and most of the time, are made less often. */
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

  MemoryWatch(long leastBytes) {
    this.leastBytes = leastBytes;
    this.patience = leastBytes;
    this.mostAllocated = leastBytes;
  }

  /** The devices of all contexts. */
  static MemoryWatch ofProcess() {
    return PROCESS;
  }

  /**
   * Watches a device, which is closed when {@code context} becomes unreachable, at the latest.
   *
   * @return closes the device; may run several times
   */
  Runnable opened(Object context, Device device) {
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

  /** Called before so many bytes are allocated. */
  void allocating(long bytes) {
    if (allocated.addAndGet(bytes) > mostAllocated) {
      collectIfWorthwhile(bytes);
    }
  }

  private synchronized void collectIfWorthwhile(long bytes) {
    // What was freed in the meantime counts no more.
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
    patience = slow ? Math.min(2 * patience, 8 * leastBytes) : leastBytes;
    lastEnd = end;
    collections++;
    reachable = used();
    mostAllocated = Math.max(patience, reachable);
    mostDevices = Math.max(LEAST_DEVICES, 2 * open.size());
  }

  /** The number of collections that were asked for. */
  synchronized int collections() {
    return collections;
  }

  /** The number of devices that are not closed. */
  int openDevices() {
    return open.size();
  }

  private long used() {
    return open.stream().mapToLong(d -> d.counters().bytesAllocated()).sum();
  }
}
