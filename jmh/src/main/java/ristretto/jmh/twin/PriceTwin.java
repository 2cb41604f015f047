package ristretto.jmh.twin;

import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.I2F;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LT;
import static ristretto.jmh.twin.Raw.LANES;
import static ristretto.jmh.twin.Raw.ORDER;
import static ristretto.jmh.twin.Raw.S;

import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * Hand-written Black-Scholes in three passes over strips that stay in the first-level cache, since
 * a single loop has too few independent dependency chains to fill the core. The code is written out
 * for the reason that {@link MathTwins} gives.
 */
final class PriceTwin {
  private static final MemorySegment ALL = Raw.ALL;

  /** Number of elements of a strip. */
  private static final int STRIP = 1024;

  private PriceTwin() {}

  /**
   * Computes {@code n} prices; n must be a multiple of the lanes, and {@code scratch} has two
   * strips.
   */
  static void run(long spot, long strike, long time, long y, int n, long scratch) {
    long other = scratch + 4L * STRIP;
    for (int i = 0; i < n; i += STRIP) {
      int m = Math.min(STRIP, n - i);
      long o = (long) i << 2;
      moments(spot + o, strike + o, time + o, scratch, other, m);
      normal(scratch, m);
      normal(other, m);
      price(spot + o, strike + o, time + o, scratch, other, y + o, m);
    }
  }

  private static void moments(long spot, long strike, long time, long d1, long d2, int n) {
    for (int i = 0; i < n; i += LANES) {
      long o = (long) i << 2;
      FloatVector s = FloatVector.fromMemorySegment(S, ALL, spot + o, ORDER);
      FloatVector k = FloatVector.fromMemorySegment(S, ALL, strike + o, ORDER);
      FloatVector t = FloatVector.fromMemorySegment(S, ALL, time + o, ORDER);
      FloatVector ratio = s.div(k);
      IntVector lb = ratio.reinterpretAsInts().sub(0x3f3504f3);
      FloatVector le = (FloatVector) lb.lanewise(ASHR, 23).convert(I2F, 0);
      FloatVector lf = lb.and(0x7fffff).add(0x3f3504f3).reinterpretAsFloats().sub(1f);
      FloatVector lq = FloatVector.broadcast(S, 7.0376836292E-2f);
      lq = lq.fma(lf, FloatVector.broadcast(S, -1.1514610310E-1f));
      lq = lq.fma(lf, FloatVector.broadcast(S, 1.1676998740E-1f));
      lq = lq.fma(lf, FloatVector.broadcast(S, -1.2420140846E-1f));
      lq = lq.fma(lf, FloatVector.broadcast(S, 1.4249322787E-1f));
      lq = lq.fma(lf, FloatVector.broadcast(S, -1.6668057665E-1f));
      lq = lq.fma(lf, FloatVector.broadcast(S, 2.0000714765E-1f));
      lq = lq.fma(lf, FloatVector.broadcast(S, -2.4999993993E-1f));
      lq = lq.fma(lf, FloatVector.broadcast(S, 3.3333331174E-1f));
      FloatVector lz = lf.mul(lf);
      FloatVector ly = le.fma(FloatVector.broadcast(S, -2.12194440e-4f), lq.mul(lf).mul(lz));
      ly = lz.fma(FloatVector.broadcast(S, -0.5f), ly);
      FloatVector l = le.fma(FloatVector.broadcast(S, 0.693359375f), lf.add(ly));
      FloatVector deviation = t.sqrt().mul(0.3f);
      FloatVector d = l.add(t.mul(0.065f)).div(deviation);
      d.intoMemorySegment(ALL, d1 + o, ORDER);
      d.sub(deviation).intoMemorySegment(ALL, d2 + o, ORDER);
    }
  }

  private static void normal(long d, int n) {
    for (int i = 0; i < n; i += LANES) {
      long o = (long) i << 2;
      FloatVector v = FloatVector.fromMemorySegment(S, ALL, d + o, ORDER);
      FloatVector k =
          FloatVector.broadcast(S, 1f)
              .div(v.abs().fma(FloatVector.broadcast(S, 0.2316419f), FloatVector.broadcast(S, 1f)));
      FloatVector w = v.mul(v).mul(-0.5f);
      FloatVector ex = w.blend(FloatVector.broadcast(S, 89f), w.compare(GT, 89f));
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
      FloatVector q = FloatVector.broadcast(S, 1.330274429f);
      q = q.fma(k, FloatVector.broadcast(S, -1.821255978f));
      q = q.fma(k, FloatVector.broadcast(S, 1.781477937f));
      q = q.fma(k, FloatVector.broadcast(S, -0.356563782f));
      q = q.fma(k, FloatVector.broadcast(S, 0.319381530f));
      FloatVector upper = e.mul(0.39894228f).mul(q.mul(k));
      FloatVector.broadcast(S, 1f)
          .sub(upper)
          .blend(upper, v.compare(LT, 0f))
          .intoMemorySegment(ALL, d + o, ORDER);
    }
  }

  private static void price(long spot, long strike, long time, long n1, long n2, long y, int n) {
    for (int i = 0; i < n; i += LANES) {
      long o = (long) i << 2;
      FloatVector t = FloatVector.fromMemorySegment(S, ALL, time + o, ORDER);
      FloatVector w = t.mul(-0.02f);
      FloatVector ex = w.blend(FloatVector.broadcast(S, 89f), w.compare(GT, 89f));
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
      FloatVector s = FloatVector.fromMemorySegment(S, ALL, spot + o, ORDER);
      FloatVector k = FloatVector.fromMemorySegment(S, ALL, strike + o, ORDER);
      FloatVector u = FloatVector.fromMemorySegment(S, ALL, n1 + o, ORDER);
      FloatVector v = FloatVector.fromMemorySegment(S, ALL, n2 + o, ORDER);
      s.mul(u).sub(k.mul(e).mul(v)).intoMemorySegment(ALL, y + o, ORDER);
    }
  }
}
