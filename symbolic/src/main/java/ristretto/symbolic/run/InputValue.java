package ristretto.symbolic.run;

import java.lang.ref.WeakReference;
import ristretto.expr.Tensor;

/** Latest value of an input. */
final class InputValue extends LatestEvent {
  private Tensor<?> value;

  /** Elements of the value in host memory, or null. */
  private int[] host;

  /** True if a check has read the elements. */
  private boolean checked;

  void give(Tensor<?> next, int[] elements, WeakReference<Thread> thread, long number) {
    value = next;
    host = elements;
    note(thread, number);
  }

  Tensor<?> value() {
    return value;
  }

  /** Returns the elements of I32, for a check; waits for the device if the host has none. */
  int[] elements() {
    checked = true;
    return host == null ? value.toIntArray() : host;
  }

  /** Returns true if checks read the elements, so that the host should keep them. */
  boolean isChecked() {
    return checked;
  }
}
