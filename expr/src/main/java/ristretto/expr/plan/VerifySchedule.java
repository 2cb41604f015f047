package ristretto.expr.plan;

import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import ristretto.expr.memory.Storage;
import ristretto.expr.recording.Update;
import ristretto.expr.type.Shape;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.VerifyKernel;

/**
 * Checks of a schedule after each pass, run if assertions are enabled ({@code -ea}). A violation is
 * an error of the pass, not of the user.
 */
final class VerifySchedule {
  private final String pass;
  private final Schedule after;

  /** True after code on the host that may write any temporary. */
  private boolean hasHostCode;

  private VerifySchedule(String pass, Schedule after) {
    this.pass = pass;
    this.after = after;
  }

  /**
   * Checks the result of a pass.
   *
   * @return true
   * @throws AssertionError with the name of the pass, the rule and the schedule, if a rule is
   *     violated
   */
  static boolean check(String pass, Schedule before, Schedule after) {
    var verify = new VerifySchedule(pass, after);
    if (after != before) {
      verify.targets(before);
      verify.steps();
    }
    return true;
  }

  private void require(boolean holds, String rule, Step step) {
    if (!holds) {
      throw new AssertionError(
          "[plan] after %s, %s; got %s %s in%n%s; this is an error of Ristretto: please report it."
              .formatted(pass, rule, step.kind(), step.what(), after.toString().indent(2)));
    }
  }

  private void steps() {
    steps(after.steps(), after.assignments().isEmpty(), new HashSet<>());
  }

  private void steps(List<Step> steps, boolean lowered, Set<Integer> defined) {
    for (Step step : steps) {
      require(
          lowered == step.assignments().isEmpty(),
          "either all steps or none must be lowered",
          step);
      for (Step.Assign a :
          step instanceof Step.Loop ? List.<Step.Assign>of() : step.assignments()) {
        Shape shape = a.pairs().get(0).target().shape();
        require(
            a.pairs().stream().allMatch(p -> p.target().shape().equals(shape)),
            "the targets of an assignment must have one shape",
            step);
        require(
            a.pairs().stream().allMatch(p -> after.plan().substitute(p.target()) == null),
            "the target of an assignment must not be inlined",
            step);
      }
      switch (step) {
        case Step.KernelStep k -> arguments(k, defined);
        case Step.HostStep h -> {
          hasHostCode |= !h.isBound();
          defined.addAll(Step.written(h));
        }
        case Step.Loop loop -> steps(loop.body(), lowered, defined);
        case Step.Materialize m ->
            require(
                !defined.contains(after.plan().number(m.temporary().storage())),
                "a temporary must be declared before it is written",
                step);
        case Step.Assign _, Step.Elementwise _, Step.Columns _ -> {}
      }
    }
  }

  /** Returns true for temporaries of planning that have elements. */
  private boolean isRead(Storage s) {
    return after.plan().isOwn(s) && ((Storage.Planned) s).shape().size() > 0;
  }

  /**
   * Kernels are valid, refer to known arguments and read temporaries of planning only after a
   * write.
   */
  private void arguments(Step.KernelStep step, Set<Integer> defined) {
    Kernel kernel = VerifyKernel.check(step.kernel(), pass);
    List<Storage> storages = after.plan().storages();
    Set<Integer> written = Step.written(kernel);
    for (int buffer : Step.buffers(kernel)) {
      require(buffer < storages.size(), "kernels must refer to arguments of the plan", step);
      require(
          hasHostCode
              || !isRead(storages.get(buffer))
              || written.contains(buffer)
              || defined.contains(buffer),
          "a temporary must be written before it is read",
          step);
    }
    defined.addAll(written);
  }

  /** No pass before lowering loses the assignment of a tensor, unless it inlines that tensor. */
  private void targets(Schedule before) {
    if (after.assignments().isEmpty()) {
      return;
    }
    Set<Storage> left = targets(after.steps());
    for (Step step : before.steps()) {
      for (Step.Assign a : step.assignments()) {
        for (Update p : a.pairs()) {
          require(
              left.contains(p.target().storage())
                  || p.target().shape().size() == 0
                  || after.plan().substitute(p.target()) != null,
              "each target that is not inlined must be assigned",
              step);
        }
      }
    }
  }

  private static Set<Storage> targets(List<Step> steps) {
    Set<Storage> all = Collections.newSetFromMap(new IdentityHashMap<>());
    for (Step step : steps) {
      step.assignments().forEach(a -> a.pairs().forEach(p -> all.add(p.target().storage())));
    }
    return all;
  }
}
