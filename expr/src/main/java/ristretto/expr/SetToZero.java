package ristretto.expr;

import java.util.HashSet;
import java.util.List;

/**
 * Sets each temporary to zero before the first step that writes it, as if what is not written were
 * read: to find what depends on memory that holds nothing yet. After it, no step makes a temporary
 * that was not there before.
 */
final class SetToZero {
  private SetToZero() {}

  /** Changes the steps of {@code plan}; work on the host makes its own temporaries. */
  static void apply(PlanBuilder plan) {
    List<Step> before = List.copyOf(plan.steps());
    plan.steps().clear();
    var known = new HashSet<Integer>();
    for (Step step : before) {
      if (step instanceof Step.KernelStep s) {
        plan.executes(s.from());
        for (int buffer : Step.buffers(s.kernel())) {
          if (plan.isTemporary(buffer) && known.add(buffer)) {
            zero(plan, (Storage.Planned) plan.storages().get(buffer));
          }
        }
      }
      plan.steps().add(step);
    }
  }

  private static void zero(PlanBuilder plan, Storage.Planned memory) {
    var all = new Tensor<>(memory.dtype(), memory, Layout.contiguous(memory.shape()));
    new Assignment(plan, all, Ops.fill(memory.dtype(), 0, memory.shape().toArray())).run();
  }
}
