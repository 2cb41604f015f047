package ristretto.expr.plan;

/** Runs the recursive planning of deep expressions on a thread with a larger stack. */
public final class LargeStack {
  private static final int DEEP = 200;
  private static final long BYTES_PER_LEVEL = 4096;

  private LargeStack() {}

  public static void run(int depth, Runnable work) {
    if (depth < DEEP) {
      work.run();
      return;
    }
    var failure = new Throwable[1];
    var thread = new Thread(null, work, "ristretto-planner", (1 << 20) + depth * BYTES_PER_LEVEL);
    thread.setUncaughtExceptionHandler((_, e) -> failure[0] = e);
    thread.start();
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    switch (failure[0]) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw new AssertionError(e);
    }
  }
}
