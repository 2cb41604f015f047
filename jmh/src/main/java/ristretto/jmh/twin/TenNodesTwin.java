package ristretto.jmh.twin;

import static ristretto.jmh.twin.Raw.LANES;
import static ristretto.jmh.twin.Raw.S;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;

/** Bare loop of the ten-operation expression, the baseline of launch times. */
public final class TenNodesTwin {
  private final long a;
  private final long b;
  private final long y;
  private final int n;

  /** Allocates inputs and result of {@code n} elements, rounded up to whole vectors. */
  public TenNodesTwin(Arena arena, int n) {
    this.n = (n + LANES - 1) / LANES * LANES;
    MemorySegment memory = arena.allocate(12L * this.n + 256, 64);
    memory.fill((byte) 0x3f);
    a = memory.address();
    b = a + 4L * this.n + 64;
    y = b + 4L * this.n + 64;
  }

  /** Computes all elements once. */
  public void run() {
    run(a, b, y, n);
  }

  private static void run(long a, long b, long y, int n) {
    for (int i = 0; i < n; i += LANES) {
      long o = (long) i << 2;
      FloatVector u = FloatVector.fromMemorySegment(S, Raw.ALL, a + o, Raw.ORDER);
      FloatVector v = FloatVector.fromMemorySegment(S, Raw.ALL, b + o, Raw.ORDER);
      FloatVector first = u.mul(v).add(u).mul(0.5f);
      FloatVector second = v.sub(u).mul(2f).add(v);
      first.mul(second).add(first).mul(v).sub(second).intoMemorySegment(Raw.ALL, y + o, Raw.ORDER);
    }
  }
}
