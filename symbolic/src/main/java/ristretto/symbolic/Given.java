package ristretto.symbolic;

import java.lang.ref.WeakReference;
import ristretto.expr.Tensor;

/** Value that an input was given last. */
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
