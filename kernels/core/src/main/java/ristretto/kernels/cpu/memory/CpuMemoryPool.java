package ristretto.kernels.cpu.memory;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import ristretto.kernels.ClosedException;
import ristretto.kernels.DeviceException;
import ristretto.kernels.device.MemoryLimit;

/**
 * Pool of off-heap memory by size class, aligned to at least 64 bytes. A freed block stays idle in
 * its class until the next request; when memory runs out, idle blocks go back to the system first.
 * Small blocks are cut from slabs that stay until the pool closes. Safe for use by several threads.
 */
public final class CpuMemoryPool implements AutoCloseable {
  /**
   * Largest block that is cut from a slab: an allocation from the system would cost more than so
   * little memory is worth, and huge pages are only allocated whole.
   */
  private static final long SMALL = 512 << 10;

  private static final long SLAB = SystemMemory.HUGE_PAGE;

  /** Limit of the bytes of idle blocks, unless more bytes than that are in use. */
  private static final long IDLE_BYTES = 256L << 20;

  /**
   * Allocated block of a size class.
   *
   * @param slab true if the memory belongs to a slab
   */
  record Block(long address, long bytes, boolean slab, SystemMemory memory) {
    // Written by hand: those of a record are linked at first use, which costs a cold JVM
    // milliseconds.
    @Override
    public boolean equals(Object o) {
      return o instanceof Block b && address == b.address && bytes == b.bytes;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(address);
    }
  }

  private final MemoryLimit limit;
  private final Map<Long, ArrayDeque<Block>> idle = new HashMap<>();
  private final Map<Block, Long> live = new HashMap<>();
  private final List<SystemMemory> slabs = new ArrayList<>();
  private long slabNext;
  private long slabEnd;
  private long used;
  private long peak;
  private long idleBytes;
  private long held;
  private volatile boolean closed;

  /**
   * Creates an empty pool.
   *
   * @param limit limit of the bytes allocated from the system
   */
  public CpuMemoryPool(MemoryLimit limit) {
    this.limit = limit;
    SystemMemory.prepare();
  }

  public synchronized CpuBuffer allocate(long bytes) {
    if (closed) {
      throw new ClosedException(
          "[allocate] a device must be open to allocate; got a closed cpu device; open a new"
              + " context");
    }
    if (bytes < 0) {
      throw new DeviceException(
          "[allocate] a buffer's size must not be negative; got " + bytes + " bytes");
    }
    long size = sizeClass(bytes);
    Block block = null;
    ArrayDeque<Block> waiting = idle.get(size);
    if (waiting != null && !waiting.isEmpty()) {
      block = waiting.pop();
      idleBytes -= block.bytes;
    }
    if (block == null) {
      block = size <= SMALL ? cut(size) : take(size, bytes);
    }
    live.put(block, bytes);
    used += bytes;
    peak = Math.max(peak, used);
    return new CpuBuffer(this, bytes, block);
  }

  synchronized void free(Block block, long bytes) {
    if (closed || live.remove(block) == null) {
      return;
    }
    used -= bytes;
    if (!block.slab && idleBytes + block.bytes > Math.max(IDLE_BYTES, used)) {
      release(block);
      return;
    }
    idle.computeIfAbsent(block.bytes, _ -> new ArrayDeque<>()).push(block);
    idleBytes += block.bytes;
  }

  /**
   * Rounds a size up to its class. There are four classes per power of two, so that at most a
   * quarter is unused; classes above a huge page are multiples of one.
   */
  static long sizeClass(long bytes) {
    if (bytes <= 64) {
      return 64;
    }
    int shift = Math.max(6, 63 - Long.numberOfLeadingZeros(bytes - 1) - 2);
    if (bytes > SystemMemory.HUGE_PAGE) {
      shift = Math.max(shift, 21);
    }
    long step = 1L << shift;
    return bytes > Long.MAX_VALUE - step ? Long.MAX_VALUE : (bytes + step - 1) & -step;
  }

  private Block cut(long size) {
    if (slabNext + size > slabEnd) {
      SystemMemory slab = system(SLAB, size);
      slabs.add(slab);
      slabNext = slab.address();
      slabEnd = slabNext + SLAB;
    }
    Block block = new Block(slabNext, size, true, null);
    slabNext += size;
    return block;
  }

  private Block take(long size, long bytes) {
    SystemMemory memory = system(size, bytes);
    return new Block(memory.address(), size, false, memory);
  }

  private SystemMemory system(long size, long asked) {
    if (!limit.allows(held, size)) {
      trim();
    }
    SystemMemory memory = !limit.allows(held, size) ? null : SystemMemory.allocate(size, held);
    if (memory == null && idleBytes > 0) {
      trim();
      memory = !limit.allows(held, size) ? null : SystemMemory.allocate(size, held);
    }
    if (memory == null) {
      throw limit.exceeded(asked, used, held, "", live.values());
    }
    held += size;
    return memory;
  }

  /** Returns idle blocks to the system. */
  private void trim() {
    for (ArrayDeque<Block> blocks : idle.values()) {
      for (var i = blocks.iterator(); i.hasNext(); ) {
        Block block = i.next();
        if (!block.slab) {
          i.remove();
          idleBytes -= block.bytes;
          release(block);
        }
      }
    }
  }

  private void release(Block block) {
    block.memory.close();
    held -= block.bytes;
  }

  public synchronized long used() {
    return used;
  }

  public synchronized long peak() {
    return peak;
  }

  /** Bytes allocated from the system and not returned. */
  synchronized long held() {
    return held;
  }

  boolean closed() {
    return closed;
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    trim();
    for (Block block : live.keySet()) {
      if (!block.slab) {
        release(block);
      }
    }
    for (SystemMemory slab : slabs) {
      slab.close();
      held -= SLAB;
    }
    live.clear();
    idle.clear();
    slabs.clear();
    used = 0;
    idleBytes = 0;
  }
}
