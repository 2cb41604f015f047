package ristretto.expr;

import java.util.HashSet;
import java.util.List;

/**
 * Pass that sets each temporary to zero before the first step that accesses it, to find dependences
 * on undefined memory. Must be the last pass: temporaries of later passes would not be set.
 */
final class SetToZero {
  private SetToZero() {}

  /** Changes the steps of {@code plan}; host steps have temporaries of their own. */
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
