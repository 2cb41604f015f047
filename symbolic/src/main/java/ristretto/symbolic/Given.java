package ristretto.symbolic;

import java.lang.ref.WeakReference;
import ristretto.expr.Tensor;

/** Latest value of an input. */
final class Given extends Latest {
  private Tensor<?> value;

  void give(Tensor<?> next, WeakReference<Thread> thread, long number) {
    value = next;
    note(thread, number);
  }

  Tensor<?> value() {
    return value;
  }
}
