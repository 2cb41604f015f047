package ristretto.spark;

import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/** Kills executors of a local cluster at random times, as a failing machine would. */
final class ExecutorKiller implements AutoCloseable {
  private final AtomicInteger kills = new AtomicInteger();
  private final Thread thread;

  /** Starts to kill executors, one every few seconds. */
  ExecutorKiller(long seed) {
    thread = Thread.ofPlatform().daemon().start(() -> run(new Random(seed)));
  }

  private void run(Random random) {
    try {
      while (kills.get() < 20) {
        Thread.sleep(1500 + random.nextInt(3000));
        List<ProcessHandle> executors =
            ProcessHandle.current().descendants().filter(ExecutorKiller::isExecutor).toList();
        if (!executors.isEmpty()
            && executors.get(random.nextInt(executors.size())).destroyForcibly()) {
          kills.incrementAndGet();
        }
      }
    } catch (InterruptedException _) {
      // The end of the test.
    }
  }

  /** The executors are the only processes that tests start with Java. */
  private static boolean isExecutor(ProcessHandle process) {
    return process.info().command().map(path -> path.endsWith("java")).orElse(false);
  }

  int kills() {
    return kills.get();
  }

  @Override
  public void close() throws InterruptedException {
    thread.interrupt();
    thread.join();
  }
}
