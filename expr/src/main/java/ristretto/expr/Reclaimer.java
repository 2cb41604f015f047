package ristretto.expr;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Gives back what unreachable objects hold: soon after the garbage collector has found them, on a
 * thread of its own, or at once when {@link #collect} returns. The latter is why this is no {@link
 * java.lang.ref.Cleaner}, which cannot be waited for.
 */
final class Reclaimer {
  private static final ReferenceQueue<Object> QUEUE = new ReferenceQueue<>();
  private static final Set<Held> HELD = ConcurrentHashMap.newKeySet();

  static {
    Thread.ofPlatform().daemon().name("ristretto-reclaimer").start(Reclaimer::work);
  }

  private static final class Held extends PhantomReference<Object> {
    private final Runnable release;

    Held(Object object, Runnable release) {
      super(object, QUEUE);
      this.release = release;
    }

    void release() {
      if (HELD.remove(this)) {
        release.run();
      }
    }
  }

  private Reclaimer() {}

  /**
   * Runs {@code release} once when nothing uses an object any more.
   *
   * @param release must not refer to the object
   */
  static void whenGone(Object object, Runnable release) {
    HELD.add(new Held(object, release));
  }

  /** Collects garbage and gives back what all unreachable objects hold. */
  static void collect() {
    System.gc();
    for (Held held : HELD) {
      if (held.refersTo(null)) {
        held.release();
      }
    }
  }

  private static void work() {
    while (true) {
      try {
        ((Held) QUEUE.remove()).release();
      } catch (InterruptedException e) {
        // Nobody else has this thread; there is nothing to end it for.
      }
    }
  }
}
