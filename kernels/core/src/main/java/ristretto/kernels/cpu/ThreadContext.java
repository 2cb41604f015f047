package ristretto.kernels.cpu;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What a thread needs to run strips: pointer arrays, the tile at hand and scratch memory. They grow
 * to what the largest kernel needs and are used for every launch on the thread, so that a launch
 * allocates nothing.
 */
final class ThreadContext {
  private static final ThreadLocal<ThreadContext> CURRENT =
      ThreadLocal.withInitial(ThreadContext::new);

  /** Arguments of the strip at hand: inputs by slot, then stores. */
  long[] pointers = new long[16];

  long[] rowStrides = new long[16];

  final Tile tile = new Tile();

  final ArrayPool arrays = new ArrayPool();

  /** Arguments of a strip that combines two values of a user's reduction. */
  final long[] pairPointers = new long[3];

  final long[] pairStrides = new long[3];

  private RowSweep.Arguments[] arguments = {};
  private long[] keys = {};
  private int[] order = {};

  /** For launches that this thread makes. */
  final Job job = new Job();

  // Memory is freed by the garbage collector when the thread is gone or has more.
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

  static ThreadContext current() {
    return CURRENT.get();
  }

  /** Of the stages of a row kernel. */
  RowSweep.Arguments[] arguments(int stages) {
    int have = arguments.length;
    if (have < stages) {
      arguments = java.util.Arrays.copyOf(arguments, stages);
      for (int s = have; s < stages; s++) {
        arguments[s] = new RowSweep.Arguments();
      }
    }
    return arguments;
  }

  /** Makes room for strips with so many pointers. */
  void reserve(int slots) {
    if (pointers.length < slots) {
      pointers = new long[2 * slots];
      rowStrides = new long[2 * slots];
    }
  }

  /**
   * Address of {@code bytes} bytes of this thread's memory, aligned to 64; valid until the next
   * call.
   */
  long scratch(long bytes) {
    if (bytes > scratchBytes) {
      scratchBytes = grown(bytes);
      scratchArena = Arena.ofAuto();
      scratch = scratchArena.allocate(scratchBytes, 64).address();
    }
    return scratch;
  }

  /** As {@link #scratch}, for what a launch shares among its chunks. */
  long shared(long bytes) {
    if (bytes > sharedBytes) {
      sharedBytes = grown(bytes);
      sharedArena = Arena.ofAuto();
      shared = sharedArena.allocate(sharedBytes, 64).address();
    }
    return shared;
  }

  /** As {@link #scratch}, for the strip that combines two values. */
  long pairScratch(long bytes) {
    if (bytes > pairBytes) {
      pairBytes = grown(bytes);
      pairArena = Arena.ofAuto();
      pair = pairArena.allocate(pairBytes, 64).address();
    }
    return pair;
  }

  /** Address of a square of as many vectors as one has elements. */
  long square() {
    if (square == null) {
      square = Arena.ofAuto().allocate(VectorHardware.BITS * (long) VectorHardware.BITS / 32, 64);
    }
    return square.address();
  }

  long[] keys(int count) {
    if (keys.length < count) {
      keys = new long[count + count / 2];
    }
    return keys;
  }

  int[] order(int count) {
    if (order.length < count) {
      order = new int[count + count / 2];
    }
    return order;
  }

  private static long grown(long bytes) {
    return Math.max(64 << 10, bytes + bytes / 2);
  }
}
