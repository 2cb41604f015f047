package ristretto.expr.plan;

import java.util.List;
import java.util.Optional;
import ristretto.expr.option.Optimization;
import ristretto.kernels.debug.Passes;

/**
 * Passes of planning, in order. Single assignments, recordings and explanations run this one list.
 * After each pass {@link VerifySchedule} checks the schedule, if assertions are enabled, and debug
 * level 5 prints the schedule.
 */
public final class Planner {
  /**
   * Entry of the list.
   *
   * @param optimization switch that drops the pass from the list, if any
   */
  private record Entry(Pass pass, Optional<Optimization> optimization) {
    Entry(Pass pass) {
      this(pass, Optional.empty());
    }

    Entry(Pass pass, Optimization optimization) {
      this(pass, Optional.of(optimization));
    }

    String name() {
      return pass.getClass().getSimpleName();
    }
  }

  private static final List<Entry> PASSES =
      List.of(
          new Entry(new InlineTemporaries(), Optimization.INLINE),
          new Entry(new SplitConcats(), Optimization.JOIN),
          new Entry(new JoinElementwise(), Optimization.JOIN),
          new Entry(new FuseColumnSums(), Optimization.JOIN_SUMS),
          new Entry(new LowerAssignments()),
          new Entry(new FuseProducts(), Optimization.FUSE_PRODUCTS),
          new Entry(new ClearTemporaries()),
          new Entry(new UnrollLoops()));

  private Planner() {}

  /** Runs all passes; afterwards the steps of the plan are kernels and host steps. */
  public static void run(Schedule schedule) {
    Schedule current = schedule;
    for (Entry entry : PASSES) {
      if (entry.optimization.filter(schedule.without()::contains).isEmpty()) {
        long start = System.nanoTime();
        Schedule next = entry.pass.apply(current);
        assert VerifySchedule.check(entry.name(), current, next);
        Passes.done("plan", entry.name(), start, current, next);
        current = next;
      }
    }
    schedule.plan().finish(current);
  }
}
