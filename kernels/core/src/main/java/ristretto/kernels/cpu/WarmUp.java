package ristretto.kernels.cpu;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Runs new vector code on samples until C2 has compiled it. Several kernels take turns: while the
 * compiler works for one, another runs, and the one whose slow code is used most meanwhile goes
 * first. What ran once at the start, and what C2 cannot compile, holds up nobody, nor does it take
 * a core from kernels that need all of them.
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

  /** Until it is looked again whether there is a core for such code. */
  private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /**
   * @param heat when it went on last
   */
  private record Entry(Task task, long dueNanos, long heat) {
    boolean isDue(long now) {
      return dueNanos - now <= 0;
    }

    long heatSince() {
      return task.heat() - heat;
    }
  }

  /** Of the process: one thread. */
  private static final class Shared {
    static final WarmUp ALL = new WarmUp(System::nanoTime, Team::takeAllCores);

    static {
      Thread.ofPlatform()
          .daemon()
          .name("ristretto-warm-up")
          .priority(Thread.MIN_PRIORITY)
          .start(ALL::work);
    }
  }

  private final LinkedBlockingQueue<Task> queue = new LinkedBlockingQueue<>();
  private final List<Entry> entries = new ArrayList<>();
  private final LongSupplier clock;
  private final BooleanSupplier busy;

  /**
   * @param clock nanoseconds
   * @param busy whether kernels need all cores
   */
  WarmUp(LongSupplier clock, BooleanSupplier busy) {
    this.clock = clock;
    this.busy = busy;
  }

  static void later(Task task) {
    Shared.ALL.add(task);
  }

  void add(Task task) {
    queue.add(task);
  }

  private void work() {
    try {
      while (true) {
        long wait = turn();
        Task task = wait > 0 ? queue.poll(wait, TimeUnit.NANOSECONDS) : null;
        if (task != null) {
          accept(task);
        }
      }
    } catch (InterruptedException e) {
      // Nobody interrupts it but who ends the process.
    }
  }

  /**
   * Takes what is new, and goes on with one of those that are due.
   *
   * @return nanoseconds until there is something to do
   */
  long turn() {
    for (Task task = queue.poll(); task != null; task = queue.poll()) {
      accept(task);
    }
    long now = clock.getAsLong();
    Optional<Entry> next =
        entries.stream().filter(e -> e.isDue(now)).max(Comparator.comparingLong(Entry::heatSince));
    if (next.isPresent()) {
      entries.remove(next.get());
      goOn(next.get()).ifPresent(entries::add);
    }
    long end = clock.getAsLong();
    return entries.stream().mapToLong(e -> e.dueNanos - end).min().orElse(Long.MAX_VALUE);
  }

  private void accept(Task task) {
    entries.add(new Entry(task, clock.getAsLong(), 0));
  }

  private Optional<Entry> goOn(Entry entry) {
    boolean cold = entry.heatSince() == 0;
    long start = clock.getAsLong();
    if (cold && busy.getAsBoolean()) {
      return Optional.of(new Entry(entry.task, start + BUSY_NANOS, entry.heat));
    }
    long heat = entry.task.heat();
    int pause = entry.task.advance();
    if (pause < 0) {
      return Optional.empty();
    }
    long end = clock.getAsLong();
    long least = cold ? COLD * (end - start) : 0;
    return Optional.of(
        new Entry(entry.task, end + Math.max(least, TimeUnit.MILLISECONDS.toNanos(pause)), heat));
  }
}
