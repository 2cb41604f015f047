package ristretto.jmh.twin;

import static jdk.incubator.vector.VectorOperators.ADD;
import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LT;
import static jdk.incubator.vector.VectorOperators.MAX;
import static ristretto.jmh.twin.Raw.LANES;
import static ristretto.jmh.twin.Raw.ORDER;
import static ristretto.jmh.twin.Raw.S;
import static ristretto.jmh.twin.Raw.load;
import static ristretto.jmh.twin.Raw.store;

import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/** Hand-written reductions and row lines; row lengths must be multiples of 4 vectors. */
final class RowTwins {
  /** Number of floats that are added in single precision before they are added to a double. */
  private static final int RUN = 1 << 14;

  private static final MemorySegment ALL = Raw.ALL;

  private RowTwins() {}

  static double sum3(long a, long b, long c, int n) {
    double total = 0;
    int whole = n - n % (4 * LANES);
    for (int i = 0; i < whole; i += RUN) {
      total += run(a, b, c, i, Math.min(whole, i + RUN));
    }
    for (int i = whole; i < n; i++) {
      long o = (long) i << 2;
      total += (Raw.get(a + o) + Raw.get(b + o)) * Raw.get(c + o);
    }
    return total;
  }

  private static FloatVector term(long a, long b, long c, long o) {
    return load(a + o).add(load(b + o)).mul(load(c + o));
  }

  private static float run(long a, long b, long c, int from, int to) {
    FloatVector s0 = FloatVector.zero(S);
    FloatVector s1 = s0;
    FloatVector s2 = s0;
    FloatVector s3 = s0;
    for (int i = from; i < to; i += 4 * LANES) {
      long o = (long) i << 2;
      s0 = s0.add(term(a, b, c, o));
      s1 = s1.add(term(a, b, c, o + 4L * LANES));
      s2 = s2.add(term(a, b, c, o + 8L * LANES));
      s3 = s3.add(term(a, b, c, o + 12L * LANES));
    }
    return s0.add(s1).add(s2.add(s3)).reduceLanes(ADD);
  }

  static void softmax(long x, long y, int cols) {
    FloatVector most = FloatVector.broadcast(S, Float.NEGATIVE_INFINITY);
    for (int j = 0; j < cols; j += LANES) {
      FloatVector v = load(x + 4L * j);
      most = most.blend(v, v.compare(GT, most));
    }
    float m = most.reduceLanes(MAX);
    float scale = 1f / exponentials(x, m, y, cols);
    for (int j = 0; j < cols; j += LANES) {
      store(load(y + 4L * j).mul(scale), y + 4L * j);
    }
  }

  /** Computes y = exp(x - most) and returns the sum of y. */
  private static float exponentials(long x, float most, long y, int cols) {
    FloatVector total = FloatVector.zero(S);
    for (int j = 0; j < cols; j += LANES) {
      long o = (long) j << 2;
      FloatVector v = FloatVector.fromMemorySegment(S, ALL, x + o, ORDER).sub(most);
      FloatVector ex = v.blend(FloatVector.broadcast(S, 89f), v.compare(GT, 89f));
      ex = ex.blend(FloatVector.broadcast(S, -104f), ex.compare(LT, -104f));
      FloatVector et =
          ex.fma(FloatVector.broadcast(S, 1.44269504f), FloatVector.broadcast(S, 0x1.8p23f));
      FloatVector en = et.sub(0x1.8p23f);
      FloatVector er = en.fma(FloatVector.broadcast(S, -0.693145751953125f), ex);
      er = en.fma(FloatVector.broadcast(S, -1.428606765330187e-06f), er);
      FloatVector ep = FloatVector.broadcast(S, 1.3888889e-3f);
      ep = ep.fma(er, FloatVector.broadcast(S, 8.333334e-3f));
      ep = ep.fma(er, FloatVector.broadcast(S, 4.1666668e-2f));
      ep = ep.fma(er, FloatVector.broadcast(S, 1.6666667e-1f));
      ep = ep.fma(er, FloatVector.broadcast(S, 0.5f));
      ep = ep.fma(er, FloatVector.broadcast(S, 1f));
      ep = ep.fma(er, FloatVector.broadcast(S, 1f));
      IntVector ek = et.reinterpretAsInts().sub(0x4B400000);
      IntVector eh = ek.lanewise(ASHR, 1);
      FloatVector e =
          ep.mul(eh.lanewise(LSHL, 23).add(0x3f800000).reinterpretAsFloats())
              .mul(ek.sub(eh).lanewise(LSHL, 23).add(0x3f800000).reinterpretAsFloats());
      e.intoMemorySegment(ALL, y + o, ORDER);
      total = total.add(e);
    }
    return total.reduceLanes(ADD);
  }

  static void layerNorm(long x, long y, int cols) {
    float mean = sum(x, cols) / cols;
    FloatVector v0 = FloatVector.zero(S);
    FloatVector v1 = v0;
    for (int j = 0; j < cols; j += 2 * LANES) {
      FloatVector d0 = load(x + 4L * j).sub(mean);
      FloatVector d1 = load(x + 4L * (j + LANES)).sub(mean);
      v0 = d0.fma(d0, v0);
      v1 = d1.fma(d1, v1);
    }
    float scale = (float) (1 / Math.sqrt(v0.add(v1).reduceLanes(ADD) / cols + 1e-5));
    for (int j = 0; j < cols; j += LANES) {
      store(load(x + 4L * j).sub(mean).mul(scale), y + 4L * j);
    }
  }

  static float sum(long x, int cols) {
    FloatVector s0 = FloatVector.zero(S);
    FloatVector s1 = s0;
    FloatVector s2 = s0;
    FloatVector s3 = s0;
    for (int j = 0; j < cols; j += 4 * LANES) {
      s0 = s0.add(load(x + 4L * j));
      s1 = s1.add(load(x + 4L * (j + LANES)));
      s2 = s2.add(load(x + 4L * (j + 2 * LANES)));
      s3 = s3.add(load(x + 4L * (j + 3 * LANES)));
    }
    return s0.add(s1).add(s2.add(s3)).reduceLanes(ADD);
  }

  /** Adds {@code rows} rows, {@code stride} floats apart, to {@code y}. */
  static void addRows(long x, long stride, long rows, long y, int cols) {
    for (long r = 0; r < rows; r++) {
      long row = x + 4 * stride * r;
      for (int j = 0; j < cols; j += LANES) {
        store(load(y + 4L * j).add(load(row + 4L * j)), y + 4L * j);
      }
    }
  }

  /**
   * Takes the maximum of {@code y} and each of {@code rows} rows, {@code stride} floats apart, into
   * {@code y}.
   */
  static void maxRows(long x, long stride, long rows, long y, int cols) {
    for (long r = 0; r < rows; r++) {
      long row = x + 4 * stride * r;
      for (int j = 0; j < cols; j += LANES) {
        store(load(y + 4L * j).max(load(row + 4L * j)), y + 4L * j);
      }
    }
  }

  static void fill(long y, float value, int cols) {
    for (int j = 0; j < cols; j += LANES) {
      store(FloatVector.broadcast(S, value), y + 4L * j);
    }
  }

  static void biasRelu(long x, long b, long y, int cols) {
    for (int j = 0; j < cols; j += LANES) {
      store(load(x + 4L * j).add(load(b + 4L * j)).max(0f), y + 4L * j);
    }
  }
}
