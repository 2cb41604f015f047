package ristretto.expr.plan;

import java.util.ArrayList;
import java.util.List;
import ristretto.expr.recording.Update;

/**
 * Joins consecutive element-wise assignments of one shape into one kernel; values pass from one to
 * the next in registers.
 *
 * <p>Assumes inlined temporaries. Guarantees the effect of executing the assignments in order:
 * assignments that read at another index what an earlier one of the kernel writes begin a new
 * kernel. Runs before {@link FuseColumnSums}, which fuses sums with joined kernels.
 */
final class JoinElementwise implements Pass {
  @Override
  public Schedule apply(Schedule schedule) {
    if (schedule.steps().size() < 2) {
      return schedule;
    }
    return schedule.with(joined(schedule, schedule.steps()));
  }

  private static List<Step> joined(Schedule schedule, List<Step> steps) {
    var joined = new Joined(schedule);
    for (Step step : steps) {
      switch (step) {
        case Step.Assign a -> joined.add(a);
        case Step.Loop loop -> joined.append(loop.with(joined(schedule, loop.body())));
        case Step.Elementwise _, Step.Columns _, Step.Materialize _, Step.Lowered _ ->
            joined.append(step);
      }
    }
    return joined.finish();
  }

  /** Returns true if an assignment needs no kernel but its own element-wise one. */
  static boolean isJoinable(PlanBuilder plan, Update p) {
    return Leaves.isElementwise(plan, p.expr())
        && new Draft(plan, null, List.of(ElementwiseKernel.root(p))).isClean();
  }

  /** Steps so far, the last of which may still be joined with the next assignment. */
  static final class Joined {
    private final Schedule schedule;
    private final List<Step> steps = new ArrayList<>();
    private ElementwiseKernel open;

    Joined(Schedule schedule) {
      this.schedule = schedule;
    }

    /** Joins an assignment with the last kernel, or appends it as a step. */
    void add(Step.Assign a) {
      Update p = a.pairs().get(0);
      if (a.pairs().size() > 1 || !isJoinable(schedule.plan(), p)) {
        append(a);
        return;
      }
      if (open != null && schedule.areInOneRegion(open.first(), a) && open.join(a)) {
        return;
      }
      flush();
      var next = new ElementwiseKernel(schedule.plan(), p.target().shape());
      if (next.join(a)) {
        open = next;
      } else {
        steps.add(a);
      }
    }

    /** Appends a step that is not joined with others. */
    void append(Step step) {
      flush();
      steps.add(step);
    }

    List<Step> finish() {
      flush();
      return steps;
    }

    private void flush() {
      if (open != null) {
        steps.add(new Step.Elementwise(open));
        open = null;
      }
    }
  }
}
