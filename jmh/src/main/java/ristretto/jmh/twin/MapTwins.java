package ristretto.jmh.twin;

import static ristretto.jmh.twin.Raw.LANES;
import static ristretto.jmh.twin.Raw.S;
import static ristretto.jmh.twin.Raw.load;
import static ristretto.jmh.twin.Raw.store;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

/**
 * Hand-written element-wise lines: one loop over whole vectors. A separate method computes the
 * tail, since a tail inside the loop's method can make the method too large to compile well.
 */
final class MapTwins {
  /** Scratch of a thread: one padded vector per operand, and two strips. */
  private static final ThreadLocal<MemorySegment> SCRATCH =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(16_384, 64));

  private static final long STRIPS = 1024;

  private MapTwins() {}

  /** Loop over {@code n} elements at raw addresses; unused inputs may be any readable memory. */
  @FunctionalInterface
  interface Loop {
    void run(long a, long b, long c, long y, int n);
  }

  static Loop named(String line) {
    return switch (line) {
      case "copy" -> MapTwins::copy;
      case "axpby" -> MapTwins::axpby;
      case "sigmoid" -> padded((a, b, c, y, n) -> MathTwins.sigmoid(a, y, n));
      case "gelu" -> padded((a, b, c, y, n) -> MathTwins.gelu(a, y, n));
      case "mix8" -> padded(MathTwins::mix8);
      case "blackscholes" ->
          padded((a, b, c, y, n) -> PriceTwin.run(a, b, c, y, n, SCRATCH.get().address() + STRIPS));
      default -> throw new IllegalArgumentException(line);
    };
  }

  /** Extends {@code loop}, which takes whole vectors only, to any number of elements. */
  private static Loop padded(Loop loop) {
    return (a, b, c, y, n) -> {
      int whole = S.loopBound(n);
      loop.run(a, b, c, y, whole);
      if (whole < n) {
        long o = (long) whole << 2;
        rest(loop, a + o, b + o, c + o, y + o, n - whole);
      }
    };
  }

  /** Computes the tail of less than a vector, in scratch that is padded with ones. */
  private static void rest(Loop loop, long a, long b, long c, long y, int n) {
    long scratch = SCRATCH.get().address();
    long size = 4L * LANES;
    pad(a, scratch, n);
    pad(b, scratch + size, n);
    pad(c, scratch + 2 * size, n);
    loop.run(scratch, scratch + size, scratch + 2 * size, scratch + 3 * size, LANES);
    MemorySegment.copy(Raw.ALL, scratch + 3 * size, Raw.ALL, y, 4L * n);
  }

  private static void pad(long from, long to, int n) {
    for (int i = 0; i < LANES; i++) {
      Raw.set(to + 4L * i, i < n ? Raw.get(from + 4L * i) : 1f);
    }
  }

  private static VectorMask<Float> tail(int i, int n) {
    return S.indexInRange(i, n);
  }

  static void copy(long a, long b, long c, long y, int n) {
    int i = 0;
    for (int end = S.loopBound(n); i < end; i += LANES) {
      long o = (long) i << 2;
      store(load(a + o), y + o);
    }
    if (i < n) {
      copyTail(a, y, i, n);
    }
  }

  private static void copyTail(long a, long y, int i, int n) {
    long o = (long) i << 2;
    store(load(a + o, tail(i, n)), y + o, tail(i, n));
  }

  private static FloatVector axpby(FloatVector a, FloatVector b) {
    return a.fma(FloatVector.broadcast(S, 3f), b.mul(2f));
  }

  static void axpby(long a, long b, long c, long y, int n) {
    int i = 0;
    for (int end = S.loopBound(n); i < end; i += LANES) {
      long o = (long) i << 2;
      store(axpby(load(a + o), load(b + o)), y + o);
    }
    if (i < n) {
      axpbyTail(a, b, y, i, n);
    }
  }

  private static void axpbyTail(long a, long b, long y, int i, int n) {
    long o = (long) i << 2;
    var m = tail(i, n);
    store(axpby(load(a + o, m), load(b + o, m)), y + o, m);
  }
}
