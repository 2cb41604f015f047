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
 * Hand-written element-wise lines with exp, log and tanh; n must be a multiple of the lanes. All
 * code is written out in the loop: C2 stops inlining ordinary methods once a body has 18,000 nodes,
 * which a few dozen vector operations reach, and then every vector is an object; only the methods
 * of the Vector API itself are exempt. exp uses a Cody-Waite reduction, a polynomial of degree 6,
 * and the power of two in two factors, so that denormal results are correct; log is for positive
 * normal numbers.
 */
final class MathTwins {
  private static final MemorySegment ALL = Raw.ALL;

  private MathTwins() {}

  static void sigmoid(long x, long y, int n) {
    for (int i = 0; i < n; i += LANES) {
      long o = (long) i << 2;
      FloatVector v = FloatVector.fromMemorySegment(S, ALL, x + o, ORDER);
      FloatVector w = v.neg();
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
      FloatVector.broadcast(S, 1f).div(e.add(1f)).intoMemorySegment(ALL, y + o, ORDER);
    }
  }

  /** Computes GELU; tanh is an odd polynomial near zero, and computed from exp elsewhere. */
  static void gelu(long x, long y, int n) {
    for (int i = 0; i < n; i += LANES) {
      long o = (long) i << 2;
      FloatVector v = FloatVector.fromMemorySegment(S, ALL, x + o, ORDER);
      FloatVector u =
          v.mul(v).mul(v).fma(FloatVector.broadcast(S, 0.044715f), v).mul(0.7978845608f);
      FloatVector size = u.abs();
      FloatVector twice = size.add(size);
      FloatVector ex = twice.blend(FloatVector.broadcast(S, 89f), twice.compare(GT, 89f));
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
      FloatVector far =
          FloatVector.broadcast(S, 1f).sub(FloatVector.broadcast(S, 2f).div(e.add(1f)));
      FloatVector z = u.mul(u);
      FloatVector q = FloatVector.broadcast(S, -5.70498872745e-3f);
      q = q.fma(z, FloatVector.broadcast(S, 2.06390887954e-2f));
      q = q.fma(z, FloatVector.broadcast(S, -5.37397155531e-2f));
      q = q.fma(z, FloatVector.broadcast(S, 1.33314422036e-1f));
      q = q.fma(z, FloatVector.broadcast(S, -3.33332819422e-1f));
      FloatVector tanh =
          far.blend(far.neg(), u.compare(LT, 0f))
              .blend(q.mul(z).fma(u, u), size.compare(LT, 0.625f));
      v.mul(0.5f).mul(tanh.add(1f)).intoMemorySegment(ALL, y + o, ORDER);
    }
  }

  static void mix8(long a, long b, long c, long y, int n) {
    for (int i = 0; i < n; i += LANES) {
      long o = (long) i << 2;
      FloatVector u = FloatVector.fromMemorySegment(S, ALL, a + o, ORDER);
      FloatVector v = FloatVector.fromMemorySegment(S, ALL, b + o, ORDER);
      FloatVector w = FloatVector.fromMemorySegment(S, ALL, c + o, ORDER);
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
      IntVector lb = u.reinterpretAsInts().sub(0x3f3504f3);
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
      u.fma(v, w).sqrt().div(e).max(l.mul(w)).intoMemorySegment(ALL, y + o, ORDER);
    }
  }
}
