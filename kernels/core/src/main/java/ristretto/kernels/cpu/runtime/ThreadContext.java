package ristretto.kernels.cpu.runtime;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Per-thread memory of strips: pointer arrays, the current tile and scratch memory. All grow to the
 * size that the largest kernel needs and are reused by every launch on the thread, so that a launch
 * allocates nothing.
 */
public final class ThreadContext {
  private static final ThreadLocal<ThreadContext> CURRENT =
      ThreadLocal.withInitial(ThreadContext::new);

  /** Arguments of the current strip: inputs by slot, then stores. */
  public long[] pointers = new long[16];

  public long[] rowStrides = new long[16];

  public final Tile tile = new Tile();

  /** Arguments of the strip that combines two values of a user's reduction. */
  public final long[] pairPointers = new long[3];

  public final long[] pairStrides = new long[3];

  private StripArguments[] arguments = {};
  private long[] keys = {};
  private int[] order = {};

  /** Job of the launches that this thread makes. */
  public final Job job = new Job(this);

  // Garbage collection frees replaced memory, and all of it once the thread is gone.
  private Arena scratchArena;
  private Arena sharedArena;
  private Arena pairArena;
  private long scratch;
  private long scratchBytes;
  private long shared;
  private long sharedBytes;
  private long pair;
  private long pairBytes;
  private MemorySegment square;

  public static ThreadContext current() {
    return CURRENT.get();
  }

  /** Returns argument lists for the stages of a row kernel. */
  public StripArguments[] arguments(int stages) {
    int have = arguments.length;
    if (have < stages) {
      arguments = java.util.Arrays.copyOf(arguments, stages);
      for (int s = have; s < stages; s++) {
        arguments[s] = new StripArguments();
      }
    }
    return arguments;
  }

  /** Grows the pointer arrays to at least {@code slots} pointers. */
  public void reserve(int slots) {
    if (pointers.length < slots) {
      pointers = new long[2 * slots];
      rowStrides = new long[2 * slots];
    }
  }

  /**
   * Returns the address of {@code bytes} bytes of this thread's memory, aligned to 64; valid until
   * the next call.
   */
  public long scratch(long bytes) {
    if (bytes > scratchBytes) {
      scratchBytes = grown(bytes);
      scratchArena = Arena.ofAuto();
      scratch = scratchArena.allocate(scratchBytes, 64).address();
    }
    return scratch;
  }

  /**
   * Returns the address of {@code bytes} bytes for data that a launch shares among its chunks;
   * valid until the next call.
   */
  public long shared(long bytes) {
    if (bytes > sharedBytes) {
      sharedBytes = grown(bytes);
      sharedArena = Arena.ofAuto();
      shared = sharedArena.allocate(sharedBytes, 64).address();
    }
    return shared;
  }

  /**
   * Returns the address of {@code bytes} bytes for the strip that combines two values; valid until
   * the next call.
   */
  public long pairScratch(long bytes) {
    if (bytes > pairBytes) {
      pairBytes = grown(bytes);
      pairArena = Arena.ofAuto();
      pair = pairArena.allocate(pairBytes, 64).address();
    }
    return pair;
  }

  /** Returns the address of a square of 4-byte elements: as many vectors as a vector has lanes. */
  public long square() {
    if (square == null) {
      square = Arena.ofAuto().allocate(VectorHardware.BITS * (long) VectorHardware.BITS / 32, 64);
    }
    return square.address();
  }

  public long[] keys(int count) {
    if (keys.length < count) {
      keys = new long[count + count / 2];
    }
    return keys;
  }

  public int[] order(int count) {
    if (order.length < count) {
      order = new int[count + count / 2];
    }
    return order;
  }

  private static long grown(long bytes) {
    return Math.max(64 << 10, bytes + bytes / 2);
  }
}
