package ristretto.expr.plan;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import ristretto.expr.graph.Constant;
import ristretto.expr.graph.StorageView;
import ristretto.expr.memory.Storage;
import ristretto.expr.option.Optimization;

/**
 * Sets each temporary to zero before the first step that accesses it, to find dependences on
 * undefined memory, if {@link Optimization#LEAVE_UNDEFINED} is disabled.
 *
 * <p>Assumes kernels and host steps; code on the host that is not bound has temporaries of its own.
 * Runs after all passes that make temporaries.
 */
final class ClearTemporaries implements Pass {
  @Override
  public Schedule apply(Schedule schedule) {
    if (!schedule.without().contains(Optimization.LEAVE_UNDEFINED)) {
      return schedule;
    }
    return schedule.with(cleared(schedule.plan(), schedule.steps(), new HashSet<>()));
  }

  private static List<Step> cleared(PlanBuilder plan, List<Step> steps, Set<Integer> known) {
    return plan.collect(() -> {
      for (Step step : steps) {
        switch (step) {
          case Step.KernelStep s -> {
            plan.executes(s.from());
            clear(plan, Step.buffers(s.kernel()), known);
            plan.add(step);
          }
          case Step.HostStep h -> {
            clear(plan, Step.buffers(h), known);
            plan.add(step);
          }
          case Step.Loop loop -> plan.add(loop.with(cleared(plan, loop.body(), known)));
          case Step.Assign _, Step.Elementwise _, Step.Columns _, Step.Materialize _ ->
              plan.add(step);
        }
      }
    });
  }

  private static void clear(PlanBuilder plan, Set<Integer> buffers, Set<Integer> known) {
    for (int buffer : buffers) {
      if (plan.isTemporary(buffer) && known.add(buffer)) {
        clear(plan, (Storage.Planned) plan.storages().get(buffer));
      }
    }
  }

  private static void clear(PlanBuilder plan, Storage.Planned memory) {
    StorageView all = StorageView.contiguous(memory.dtype(), memory, memory.shape());
    new AssignmentLowering(plan, all, Constant.filled(memory.dtype(), memory.shape(), 0)).run();
  }
}
