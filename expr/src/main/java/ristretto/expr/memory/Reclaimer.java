package ristretto.expr.memory;

import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Frees resources of unreachable objects: on a thread of its own, soon after the garbage collector
 * has found the objects, or before {@link #collect} returns. A {@link java.lang.ref.Cleaner} would
 * not do, because it offers no way to wait.
 */
public final class Reclaimer {
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
   * Runs {@code release} once after an object became unreachable.
   *
   * @param release must not refer to the object
   */
  public static void whenGone(Object object, Runnable release) {
    HELD.add(new Held(object, release));
  }

  /** Collects garbage and frees the resources of all unreachable objects before returning. */
  public static void collect() {
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
        // No other code can interrupt this private daemon thread on purpose; keep running.
      }
    }
  }
}
