package ristretto.tornado;

import uk.ac.manchester.tornado.api.KernelContext;
import uk.ac.manchester.tornado.api.math.TornadoMath;
import uk.ac.manchester.tornado.api.types.arrays.FloatArray;

/** Kernels as a user of TornadoVM would write them. */
final class ByHand {
  static final int GROUP = 64;

  private ByHand() {}

  public static void scaledSigmoid(KernelContext c, FloatArray x, FloatArray y, FloatArray out) {
    int i = c.globalIdx;
    out.set(i, 1f / (1f + TornadoMath.exp(-x.get(i))) + 0.5f * y.get(i));
  }

  public static void chain(KernelContext c, FloatArray x, FloatArray y, FloatArray out) {
    int i = c.globalIdx;
    float a = x.get(i) * 0.9f + y.get(i) * 0.1f;
    float b = a * a - y.get(i);
    out.set(i, b > 0f ? b * 0.5f : a + 1f);
  }

  /** A work item a row. */
  public static void softmax(KernelContext c, FloatArray x, FloatArray out, int length) {
    int first = c.globalIdx * length;
    float max = x.get(first);
    for (int j = 1; j < length; j++) {
      max = TornadoMath.max(max, x.get(first + j));
    }
    float sum = 0f;
    for (int j = 0; j < length; j++) {
      sum += TornadoMath.exp(x.get(first + j) - max);
    }
    for (int j = 0; j < length; j++) {
      out.set(first + j, TornadoMath.exp(x.get(first + j) - max) / sum);
    }
  }
}
