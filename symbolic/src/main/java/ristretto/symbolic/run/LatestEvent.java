package ristretto.symbolic.run;

import java.lang.ref.WeakReference;

/**
 * Latest event of a kind, with the thread that caused it, and whether several threads have caused
 * events.
 */
class LatestEvent {
  private WeakReference<Thread> by;
  private boolean several;
  private long at;

  /**
   * Records an event.
   *
   * @param thread reference to the thread; always the same object for a thread
   * @param number number of the event, greater than those of earlier events
   */
  final void note(WeakReference<Thread> thread, long number) {
    several |= by != null && by != thread;
    by = thread;
    at = number;
  }

  /** Returns true if several threads have caused events. */
  final boolean isOfSeveral() {
    return several;
  }

  /** Returns true if a thread caused the latest event. */
  final boolean isBy(WeakReference<Thread> thread) {
    return by == thread;
  }

  /** Returns the number of the latest event; 0 before the first. */
  final long at() {
    return at;
  }
}
