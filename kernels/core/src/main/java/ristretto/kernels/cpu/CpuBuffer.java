package ristretto.kernels.cpu;

import ristretto.kernels.ClosedException;
import ristretto.kernels.device.Buffer;

/** Off-heap memory of a {@link MemoryPool}, or a part of it. */
final class CpuBuffer implements Buffer {
  private final MemoryPool pool;
  private final long bytes;

  /** What this is a part of; null if it is none. */
  private final CpuBuffer whole;

  /** Where it begins there. */
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

  /** Some of its bytes. */
  CpuBuffer part(long from, long count) {
    return new CpuBuffer(pool, count, block, this, from);
  }

  /**
   * Address of the first byte; {@code op} names the user in the message of a {@link
   * ClosedException}.
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
