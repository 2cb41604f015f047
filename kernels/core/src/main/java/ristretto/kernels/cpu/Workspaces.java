package ristretto.kernels.cpu;

import java.util.ArrayDeque;

/**
 * Memory that launches need while they run, from the device's pool: as many pieces as callers run
 * at a time, each as large as the largest launch needs. They stay, so that launches allocate
 * nothing.
 */
final class Workspaces {
  private final MemoryPool pool;
  private final ArrayDeque<CpuBuffer> idle = new ArrayDeque<>();

  Workspaces(MemoryPool pool) {
    this.pool = pool;
  }

  /** A piece of at least {@code bytes} bytes, to be given back. */
  synchronized CpuBuffer take(long bytes) {
    CpuBuffer piece = idle.poll();
    if (piece != null && piece.bytes() >= bytes) {
      return piece;
    }
    if (piece != null) {
      piece.close();
    }
    return pool.allocate(bytes);
  }

  synchronized void give(CpuBuffer piece) {
    idle.push(piece);
  }
}
