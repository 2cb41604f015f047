package ristretto.kernels.cpu.moves;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.concurrent.atomic.AtomicBoolean;
import ristretto.kernels.cpu.runtime.VectorHardware;
import ristretto.kernels.cpu.runtime.WarmUpRuns;
import ristretto.kernels.cpu.runtime.WarmUpScheduler;

/**
 * Kinds of copies with vector code, each warmed up in the background once it is used enough. Loops
 * and vector code give equal results.
 */
enum Move {
  TRANSPOSE_4(4) {
    @Override
    void sample(long from, long to) {
      for (int k = 0; k < SAMPLED_SQUARES; k++) {
        VectorMoves.transpose4(from, SAMPLE_LINE, to, SAMPLE_LINE, to + SAMPLE_BYTES / 2);
      }
    }
  },

  TRANSPOSE_8(8) {
    @Override
    void sample(long from, long to) {
      for (int k = 0; k < SAMPLED_SQUARES; k++) {
        VectorMoves.transpose8(from, SAMPLE_LINE, to, SAMPLE_LINE, to + SAMPLE_BYTES / 2);
      }
    }
  },

  STRIDE_4(4) {
    @Override
    void sample(long from, long to) {
      for (int step = 1; step <= MOST_STRIDE; step++) {
        VectorMoves.stride4(from, step, to, SAMPLED);
        VectorMoves.stride4(from + 4L * step * SAMPLED, -step, to, SAMPLED);
      }
    }
  },

  STRIDE_8(8) {
    @Override
    void sample(long from, long to) {
      for (int step = 1; step <= MOST_STRIDE; step++) {
        VectorMoves.stride8(from, step, to, SAMPLED);
        VectorMoves.stride8(from + 8L * step * SAMPLED, -step, to, SAMPLED);
      }
    }
  },

  /**
   * Conversions between bytes and integers. They need vectors of 8 integers, because byte vectors
   * are at least 64 bits wide.
   */
  BYTES(4, 8) {
    @Override
    void sample(long from, long to) {
      VectorMoves.widenUnsigned(from, 255, to, SAMPLED);
      VectorMoves.widenSigned(from, to, SAMPLED);
      VectorMoves.narrow(from, to, SAMPLED);
      VectorMoves.narrowTruth(from, to, SAMPLED);
    }
  };

  /** Largest stride of a strided copy, in elements. */
  static final int MOST_STRIDE = 4;

  /** Number of elements copied by loops before vector code is worth warming up. */
  private static final long HEAD_START = 1 << 18;

  private static final int SAMPLED = 300;
  private static final int SAMPLED_SQUARES = 8;
  private static final long SAMPLE_LINE = 256;
  private static final long SAMPLE_BYTES = 8L * MOST_STRIDE * (SAMPLED + 64);

  /** Elements of a vector; shorter lines are copied by loops. */
  final int lanes;

  /** Bytes of an element. */
  final int bytes;

  private final AtomicBoolean started;
  private volatile boolean ready;

  /** Elements copied by loops; threads may lose each other's updates. */
  private long work;

  Move(int bytes) {
    this(bytes, 2);
  }

  /**
   * Creates a kind of copies.
   *
   * @param least fewest lanes for which there is vector code
   */
  Move(int bytes, int least) {
    this.bytes = bytes;
    this.lanes = VectorHardware.BITS / 8 / bytes;
    this.started = new AtomicBoolean(!VectorHardware.PRESENT || lanes < least);
  }

  /**
   * Runs each kind of copy that the vector code is compiled for, between two areas of {@link
   * #SAMPLE_BYTES}.
   */
  abstract void sample(long from, long to);

  /**
   * Returns true if {@link VectorMoves} may copy so many elements; else counts them as copied by a
   * loop.
   */
  boolean ready(long elements) {
    if (ready) {
      return true;
    }
    work += elements;
    if (work > HEAD_START && !started.getPlain() && started.compareAndSet(false, true)) {
      WarmUpScheduler.later(new Exchange());
    }
    return false;
  }

  private final class Exchange implements WarmUpScheduler.Task {
    private final MemorySegment memory = Arena.ofAuto().allocate(2 * SAMPLE_BYTES, 64);
    private final WarmUpRuns warming = new WarmUpRuns(this::run, this::run);

    private void run() {
      sample(memory.address(), memory.address() + SAMPLE_BYTES);
      Reference.reachabilityFence(memory);
    }

    @Override
    public long heat() {
      return work;
    }

    @Override
    public int advance() {
      WarmUpRuns.State state = warming.advance();
      ready = state == WarmUpRuns.State.COMPILED;
      return state == WarmUpRuns.State.GOES_ON ? warming.pause() : -1;
    }
  }
}
