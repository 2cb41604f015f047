package ristretto.symbolic;

import ristretto.expr.Context;
import ristretto.expr.Ops;

/** The cpu device with oneDNN and without. */
public final class LibraryContexts {
  private LibraryContexts() {}

  /**
   * @param choice auto or own
   */
  public static Context open(String choice, int threads) {
    System.setProperty("ristretto.cpu.dnn", choice);
    System.setProperty("ristretto.cpu.threads", "" + threads);
    try {
      return Context.open("cpu");
    } finally {
      System.clearProperty("ristretto.cpu.dnn");
      System.clearProperty("ristretto.cpu.threads");
    }
  }

  public static boolean convolves(Context context) {
    var x = context.zeros(Ops.F32, 2, 3, 8, 8);
    var w = context.zeros(Ops.F32, 4, 3, 3, 3);
    long[] ones = {1, 1};
    return context.convolves(Ops.convolution(x, w, ones, ones, ones, 1));
  }
}
