package ristretto.kernels.cpu.runtime;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Scheduler that runs new vector code on samples until C2 has compiled it. Several tasks take
 * turns: while the compiler works for one, another runs, and the task whose slow code was used most
 * since its last turn goes first. Code that ran only once at the start, and code that C2 cannot
 * compile, delays no other task and takes no core from kernels that need all cores.
 */
public final class WarmUpScheduler {
  /** Code to warm up. */
  public interface Task {
    /** Returns the work that the slow code has done so far. */
    long heat();

    /**
     * Continues briefly.
     *
     * @return milliseconds until the next turn; negative if the task is done
     */
    int advance();
  }

  /**
   * Pause of a task whose slow code was not used since its last turn, as a multiple of the turn.
   */
  private static final int COLD = 20;

  /** Delay of an unused task while all cores are busy, in nanoseconds. */
  private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /**
   * Scheduled task.
   *
   * @param dueNanos time of its next turn
   * @param heat heat of the task at its last turn
   */
  private record Entry(Task task, long dueNanos, long heat) {
    boolean isDue(long now) {
      return dueNanos - now <= 0;
    }

    long heatSince() {
      return task.heat() - heat;
    }
  }

  /** Scheduler of the process, with a thread of its own. */
  private static final class Shared {
    static final WarmUpScheduler ALL =
        new WarmUpScheduler(System::nanoTime, WorkerPool::takeAllCores);

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
   * Creates a scheduler without a thread.
   *
   * @param clock time in nanoseconds
   * @param busy returns true if kernels use all cores
   */
  WarmUpScheduler(LongSupplier clock, BooleanSupplier busy) {
    this.clock = clock;
    this.busy = busy;
  }

  public static void later(Task task) {
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
      // Only the end of the process interrupts the thread.
    }
  }

  /**
   * Accepts new tasks and gives a turn to one of those that are due.
   *
   * @return nanoseconds until the next task is due
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
