package ristretto.kernels.cpu.memory;

import java.lang.foreign.MemorySegment;
import ristretto.kernels.ClosedException;
import ristretto.kernels.device.Buffer;

/**
 * Off-heap memory of a {@link CpuMemoryPool}, memory that the pool does not own, or a part of
 * another buffer.
 */
public final class CpuBuffer implements Buffer {
  private final CpuMemoryPool pool;
  private final long bytes;

  /** Buffer that this one is a part of; null for a buffer with a block of its own. */
  private final CpuBuffer whole;

  /** Offset in {@link #whole} in bytes. */
  private final long offset;

  private CpuMemoryPool.Block block;

  /** Memory that the pool does not own, which must stay reachable; otherwise null. */
  private MemorySegment foreign;

  CpuBuffer(CpuMemoryPool pool, long bytes, CpuMemoryPool.Block block) {
    this(pool, bytes, block, null, 0);
  }

  /** Creates a buffer of memory that the pool does not own; the pool's end closes it. */
  public CpuBuffer(CpuMemoryPool pool, MemorySegment memory) {
    this(
        pool,
        memory.byteSize(),
        new CpuMemoryPool.Block(memory.address(), memory.byteSize(), false, null));
    foreign = memory;
  }

  private CpuBuffer(
      CpuMemoryPool pool, long bytes, CpuMemoryPool.Block block, CpuBuffer whole, long offset) {
    this.pool = pool;
    this.bytes = bytes;
    this.block = block;
    this.whole = whole;
    this.offset = offset;
  }

  /** Returns a part of this buffer. */
  public CpuBuffer part(long from, long count) {
    return new CpuBuffer(pool, count, block, this, from);
  }

  /**
   * Returns the address of the first byte; {@code op} names the operation in the message of a
   * {@link ClosedException}.
   */
  public long address(String op) {
    CpuMemoryPool.Block b = block;
    if (b == null || closed()) {
      throw new ClosedException(
          "["
              + op
              + "] a buffer must be open while it is used; got a closed one of "
              + bytes
              + " bytes; keep the tensor or its context open until its last use");
    }
    return whole == null ? b.address() : whole.address(op) + offset;
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public boolean closed() {
    return block == null || (whole == null ? pool.closed() : whole.closed());
  }

  @Override
  public void close() {
    CpuMemoryPool.Block b;
    synchronized (pool) {
      b = block;
      block = null;
    }
    if (foreign != null) {
      foreign = null;
    } else if (b != null && whole == null) {
      pool.free(b, bytes);
    }
  }
}
