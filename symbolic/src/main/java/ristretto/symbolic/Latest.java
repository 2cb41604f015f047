package ristretto.symbolic;

import java.lang.ref.WeakReference;

/** Last event of a kind, the thread that caused it, and whether one thread caused all of them. */
class Latest {
  private WeakReference<Thread> by;
  private boolean several;
  private long at;

  /**
   * Takes note of an event.
   *
   * @param thread the same object for the same thread
   * @param number of the event; later ones have greater numbers
   */
  final void note(WeakReference<Thread> thread, long number) {
    several |= by != null && by != thread;
    by = thread;
    at = number;
  }

  /** True if several threads have caused such events. */
  final boolean isOfSeveral() {
    return several;
  }

  /** True if a thread caused the last event. */
  final boolean isBy(WeakReference<Thread> thread) {
    return by == thread;
  }

  /** Number of the last event; 0 before any. */
  final long at() {
    return at;
  }
}
