package ristretto.kernels.cpu.blas;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Memory of undefined content for a call. Memory that is not too large stays with the thread and is
 * reused: new memory is cleared, and its pages are mapped at their first use.
 */
public final class WorkMemory implements AutoCloseable {
  /** Bytes of memory that is kept. */
  private static final long MOST_BYTES = 64 << 20;

  /** Parts that a thread keeps. */
  private static final int MOST_KEPT = 3;

  private static final ThreadLocal<List<MemorySegment>> FREE =
      ThreadLocal.withInitial(ArrayList::new);

  private final Arena arena;
  private final MemorySegment memory;

  /** Takes memory of at least so many bytes. */
  public WorkMemory(long bytes) {
    arena = bytes > MOST_BYTES ? Arena.ofConfined() : null;
    memory = arena != null ? arena.allocate(bytes, 64) : free(bytes);
  }

  /** Smallest free memory of the thread that is large enough, or new memory. */
  private static MemorySegment free(long bytes) {
    List<MemorySegment> free = FREE.get();
    int best = -1;
    for (int k = 0; k < free.size(); k++) {
      long size = free.get(k).byteSize();
      if (size >= bytes && (best < 0 || size < free.get(best).byteSize())) {
        best = k;
      }
    }
    return best >= 0
        ? free.remove(best)
        : Arena.ofAuto().allocate(Math.min(MOST_BYTES, bytes + bytes / 2), 64);
  }

  /** The memory, at a multiple of 64 bytes. */
  public MemorySegment memory() {
    return memory;
  }

  @Override
  public void close() {
    if (arena != null) {
      arena.close();
      return;
    }
    List<MemorySegment> free = FREE.get();
    free.add(memory);
    if (free.size() > MOST_KEPT) {
      int least = 0;
      for (int k = 1; k < free.size(); k++) {
        least = free.get(k).byteSize() < free.get(least).byteSize() ? k : least;
      }
      free.remove(least);
    }
  }
}
