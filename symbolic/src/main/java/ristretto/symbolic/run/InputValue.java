package ristretto.symbolic.run;

import java.lang.ref.WeakReference;
import ristretto.expr.Tensor;

/** Latest value of an input. */
final class InputValue extends LatestEvent {
  private Tensor<?> value;

  void give(Tensor<?> next, WeakReference<Thread> thread, long number) {
    value = next;
    note(thread, number);
  }

  Tensor<?> value() {
    return value;
  }
}
