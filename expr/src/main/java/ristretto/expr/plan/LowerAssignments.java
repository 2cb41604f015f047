package ristretto.expr.plan;

import java.util.List;

/**
 * Lowers assignments to kernels: {@link AssignmentLowering} stores what must be in memory and makes
 * kernels of the rest; fused assignments become their kernels.
 *
 * <p>Assumes that the assignments of a fused step have the effect of executing them in order.
 * Guarantees that all steps are kernels or host steps, and that barriers which several assignments
 * read are computed once, as long as nothing in between writes what they read.
 */
final class LowerAssignments implements Pass {
  @Override
  public Schedule apply(Schedule schedule) {
    var run = new Run(schedule);
    return schedule.with(run.lowered(schedule.steps()));
  }

  private static final class Run {
    private final Schedule schedule;
    private final PlanBuilder plan;
    private final SharedBarriers shared;
    private Step last;

    Run(Schedule schedule) {
      this.schedule = schedule;
      this.plan = schedule.plan();
      this.shared = new SharedBarriers(schedule);
    }

    List<Step> lowered(List<Step> steps) {
      return plan.collect(() -> steps.forEach(this::lower));
    }

    private void lower(Step step) {
      if (step instanceof Step.Loop loop) {
        List<Step> body = lowered(loop.body());
        plan.add(loop.with(body));
        return;
      }
      List<Step.Assign> assignments = step.assignments();
      if (last != null) {
        plan.assigned(last);
        if (!schedule.areInOneRegion(last.assignments().get(0), assignments.get(0))) {
          plan.forgetAll();
        }
      }
      last = step;
      plan.executes(assignments.stream().map(Step.Assign::number).distinct().sorted().toList());
      switch (step) {
        case Step.Assign a -> {
          plan.needs(shared.neededAfter(a));
          new AssignmentLowering(plan, a.pairs()).run();
        }
        case Step.Elementwise e -> e.kernel().emit();
        case Step.Columns c ->
            plan.add(
                c.kernel(),
                plan.describe(c.members().stream().flatMap(a -> a.pairs().stream()).toList()));
        case Step.Loop _, Step.Materialize _, Step.Lowered _ ->
            throw new AssertionError("lowered twice: " + step.what());
      }
    }
  }
}
