package ristretto.kernels.cpu.memory;

import java.util.ArrayDeque;

/**
 * Working memory of launches, from the device's pool: as many buffers as callers run concurrently,
 * each as large as the largest launch needs. Buffers are reused, so that launches allocate nothing.
 */
public final class Workspaces {
  private final CpuMemoryPool pool;
  private final ArrayDeque<CpuBuffer> idle = new ArrayDeque<>();

  public Workspaces(CpuMemoryPool pool) {
    this.pool = pool;
  }

  /** Takes a buffer of at least {@code bytes} bytes; {@link #give} returns it. */
  public synchronized CpuBuffer take(long bytes) {
    CpuBuffer piece = idle.poll();
    if (piece != null && piece.bytes() >= bytes) {
      return piece;
    }
    if (piece != null) {
      piece.close();
    }
    return pool.allocate(bytes);
  }

  public synchronized void give(CpuBuffer piece) {
    idle.push(piece);
  }
}
