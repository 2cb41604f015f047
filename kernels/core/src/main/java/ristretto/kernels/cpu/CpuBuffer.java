package ristretto.kernels.cpu;

import ristretto.kernels.ClosedException;
import ristretto.kernels.device.Buffer;

/** Off-heap memory of a {@link MemoryPool}, or a part of another buffer. */
final class CpuBuffer implements Buffer {
  private final MemoryPool pool;
  private final long bytes;

  /** Buffer that this one is a part of; null for a buffer with a block of its own. */
  private final CpuBuffer whole;

  /** Offset in {@link #whole} in bytes. */
  private final long offset;

  private MemoryPool.Block block;

  CpuBuffer(MemoryPool pool, long bytes, MemoryPool.Block block) {
    this(pool, bytes, block, null, 0);
  }

  private CpuBuffer(
      MemoryPool pool, long bytes, MemoryPool.Block block, CpuBuffer whole, long offset) {
    this.pool = pool;
    this.bytes = bytes;
    this.block = block;
    this.whole = whole;
    this.offset = offset;
  }

  /** Returns a part of this buffer. */
  CpuBuffer part(long from, long count) {
    return new CpuBuffer(pool, count, block, this, from);
  }

  /**
   * Returns the address of the first byte; {@code op} names the operation in the message of a
   * {@link ClosedException}.
   */
  long address(String op) {
    MemoryPool.Block b = block;
    if (b == null || closed()) {
      throw new ClosedException(
          "["
              + op
              + "] a buffer must be open while it is used; got a closed one of "
              + bytes
              + " bytes; keep the tensor or its context open until the work on it is done");
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
    MemoryPool.Block b;
    synchronized (pool) {
      b = block;
      block = null;
    }
    if (b != null && whole == null) {
      pool.free(b, bytes);
    }
  }
}
