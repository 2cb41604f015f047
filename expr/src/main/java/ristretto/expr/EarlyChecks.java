package ristretto.expr;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Launch;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Operand;

/**
 * Detects indices out of range before a plan writes memory that is visible outside of it. Each
 * launch that reads indices is checked as soon as the indices are computed, if an earlier step
 * writes visible memory.
 */
final class EarlyChecks {
  /** Launches to check before each step runs, by step; null for none. */
  private final List<List<Launch>> before;

  private EarlyChecks(List<List<Launch>> before) {
    this.before = before;
  }

  /**
   * Schedules the checks of a plan.
   *
   * @param isTemporary true for arguments that are not visible outside of the plan
   */
  static EarlyChecks of(List<Step> steps, Launch[] launches, IntPredicate isTemporary) {
    var before = new ArrayList<List<Launch>>();
    steps.forEach(_ -> before.add(null));
    for (int k = 0; k < launches.length; k++) {
      Set<Integer> indices = indices(steps.get(k));
      int at = k;
      boolean visible = false;
      while (!indices.isEmpty() && at > 0 && !writesAny(steps.get(at - 1), indices)) {
        at--;
        visible |= written(steps.get(at)).stream().anyMatch(b -> !isTemporary.test(b));
      }
      if (visible) {
        if (before.get(at) == null) {
          before.set(at, new ArrayList<>());
        }
        before.get(at).add(launches[k]);
      }
    }
    return new EarlyChecks(before);
  }

  /**
   * Returns true if a step of the plan computes indices that a later step reads, so that they
   * cannot be checked before the first step.
   */
  static boolean isAnyLate(List<Step> steps) {
    if (steps.stream().allMatch(s -> indices(s).isEmpty())) {
      return false;
    }
    var written = new HashSet<Integer>();
    for (Step step : steps) {
      if (indices(step).stream().anyMatch(written::contains)) {
        return true;
      }
      written.addAll(written(step));
    }
    return false;
  }

  /** Runs the checks that are due before a step. */
  void before(int step, Buffer[] buffers) {
    List<Launch> due = before.get(step);
    if (due != null) {
      for (int k = 0; k < due.size(); k++) {
        due.get(k).check(buffers);
      }
    }
  }

  private static boolean writesAny(Step step, Set<Integer> buffers) {
    return step instanceof Step.HostStep || written(step).stream().anyMatch(buffers::contains);
  }

  private static Set<Integer> written(Step step) {
    return step instanceof Step.KernelStep k ? Step.written(k.kernel()) : Set.of();
  }

  /** Arguments with indices that the step's kernel reads. */
  private static Set<Integer> indices(Step step) {
    if (!(step instanceof Step.KernelStep k)) {
      return Set.of();
    }
    Kernel like = k.motion() == null ? k.kernel() : k.motion().like().kernel();
    if (indices(like).isEmpty()) {
      return Set.of();
    }
    return indices(k.kernel());
  }

  private static Set<Integer> indices(Kernel kernel) {
    var all = new HashSet<Integer>();
    for (Operand operand : Step.operands(kernel)) {
      if (operand instanceof Operand.Memory m && m.gather().isPresent()) {
        all.add(m.gather().get().buffer());
      }
    }
    return all;
  }
}
