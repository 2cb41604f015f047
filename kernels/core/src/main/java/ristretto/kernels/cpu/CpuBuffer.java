package ristretto.kernels.cpu;

import ristretto.kernels.ClosedException;
import ristretto.kernels.device.Buffer;

/** Off-heap memory of a {@link MemoryPool}. */
final class CpuBuffer implements Buffer {
  private final MemoryPool pool;
  private final long bytes;
  private MemoryPool.Block block;

  CpuBuffer(MemoryPool pool, long bytes, MemoryPool.Block block) {
    this.pool = pool;
    this.bytes = bytes;
    this.block = block;
  }

  /**
   * Address of the first byte; {@code op} names the user in the message of a {@link
   * ClosedException}.
   */
  long address(String op) {
    MemoryPool.Block b = block;
    if (b == null || pool.closed()) {
      throw new ClosedException(
          "["
              + op
              + "] a buffer must be open while it is used; got a closed one of "
              + bytes
              + " bytes; keep the tensor or its context open until the work on it is done");
    }
    return b.address();
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public boolean closed() {
    return block == null || pool.closed();
  }

  @Override
  public void close() {
    MemoryPool.Block b;
    synchronized (pool) {
      b = block;
      block = null;
    }
    if (b != null) {
      pool.free(b, bytes);
    }
  }
}
