package ristretto.kernels.cpu;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Kinds of copies that have vector code, each warmed up in the background once it is used enough.
 * Copies are the same with and without.
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

  /** Between bytes and integers; byte vectors of half the least size do not exist. */
  BYTES(4, 8) {
    @Override
    void sample(long from, long to) {
      VectorMoves.widenUnsigned(from, 255, to, SAMPLED);
      VectorMoves.widenSigned(from, to, SAMPLED);
      VectorMoves.narrow(from, to, SAMPLED);
      VectorMoves.narrowTruth(from, to, SAMPLED);
    }
  };

  /** Largest distance of the elements of a strided copy, in elements. */
  static final int MOST_STRIDE = 4;

  /** Elements after which vector code is worth its warming up. */
  private static final long HEAD_START = 1 << 18;

  private static final int SAMPLED = 300;
  private static final int SAMPLED_SQUARES = 8;
  private static final long SAMPLE_LINE = 256;
  private static final long SAMPLE_BYTES = 8L * MOST_STRIDE * (SAMPLED + 64);

  /** Elements of a vector; shorter lines are for loops. */
  final int lanes;

  /** Size of an element. */
  final int bytes;

  private final AtomicBoolean started;
  private volatile boolean ready;

  /** Elements copied by loops; threads may miss each other's. */
  private long work;

  Move(int bytes) {
    this(bytes, 2);
  }

  /**
   * @param least lanes for which there is vector code
   */
  Move(int bytes, int least) {
    this.bytes = bytes;
    this.lanes = VectorHardware.BITS / 8 / bytes;
    this.started = new AtomicBoolean(!VectorHardware.PRESENT || lanes < least);
  }

  /** Copies what the vector code is compiled for, between two areas of {@link #SAMPLE_BYTES}. */
  abstract void sample(long from, long to);

  /** Whether {@link VectorMoves} may copy so many elements; asking counts. */
  boolean ready(long elements) {
    if (ready) {
      return true;
    }
    work += elements;
    if (work > HEAD_START && !started.getPlain() && started.compareAndSet(false, true)) {
      WarmUp.later(new Exchange());
    }
    return false;
  }

  private final class Exchange implements WarmUp.Task {
    private final MemorySegment memory = Arena.ofAuto().allocate(2 * SAMPLE_BYTES, 64);
    private final Warming warming = new Warming(this::run, this::run);

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
      Warming.State state = warming.advance();
      ready = state == Warming.State.COMPILED;
      return state == Warming.State.GOES_ON ? warming.pause() : -1;
    }
  }
}
