package ristretto.kernels.cpu;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * One thread that runs new vector code on samples until C2 has compiled it. Several kernels take
 * turns: while the compiler works for one, the thread runs another, and the one whose slow code is
 * used most meanwhile goes first. What ran once at the start, and what C2 cannot compile, holds up
 * nobody.
 */
final class WarmUp {
  /** Code on its way. */
  interface Task {
    /** How much work its slow code has done until now. */
    long heat();

    /**
     * Goes on for a moment.
     *
     * @return milliseconds after which to go on; negative if it is over
     */
    int advance();
  }

  /** Pause of code that nobody has called meanwhile, in times of how long it went on. */
  private static final int COLD = 20;

  /**
   * @param heat when it went on last
   */
  private record Entry(Task task, long dueNanos, long heat) {
    static Entry of(Task task, long pauseNanos) {
      return new Entry(task, System.nanoTime() + pauseNanos, task.heat());
    }

    boolean isDue(long now) {
      return dueNanos - now <= 0;
    }

    long heatSince() {
      return task.heat() - heat;
    }
  }

  private static final LinkedBlockingQueue<Task> QUEUE = new LinkedBlockingQueue<>();

  static {
    Thread.ofPlatform()
        .daemon()
        .name("ristretto-warm-up")
        .priority(Thread.MIN_PRIORITY)
        .start(WarmUp::work);
  }

  private WarmUp() {}

  static void later(Task task) {
    QUEUE.add(task);
  }

  private static void work() {
    var entries = new ArrayList<Entry>();
    try {
      while (true) {
        accept(entries);
        long now = System.nanoTime();
        Optional<Entry> next =
            entries.stream()
                .filter(e -> e.isDue(now))
                .max(Comparator.comparingLong(Entry::heatSince));
        if (next.isPresent()) {
          entries.remove(next.get());
          goOn(next.get()).ifPresent(entries::add);
        }
      }
    } catch (InterruptedException e) {
      // Nobody interrupts it but who ends the process.
    }
  }

  private static Optional<Entry> goOn(Entry entry) {
    boolean cold = entry.heatSince() == 0;
    long start = System.nanoTime();
    int pause = entry.task.advance();
    if (pause < 0) {
      return Optional.empty();
    }
    long least = cold ? COLD * (System.nanoTime() - start) : 0;
    return Optional.of(Entry.of(entry.task, Math.max(least, TimeUnit.MILLISECONDS.toNanos(pause))));
  }

  /** Takes what is new, and waits until there is something to do. */
  private static void accept(List<Entry> entries) throws InterruptedException {
    long now = System.nanoTime();
    long wait = entries.stream().mapToLong(e -> e.dueNanos - now).min().orElse(Long.MAX_VALUE);
    Task task = wait > 0 ? QUEUE.poll(wait, TimeUnit.NANOSECONDS) : QUEUE.poll();
    for (; task != null; task = QUEUE.poll()) {
      entries.add(Entry.of(task, 0));
    }
  }
}
