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
 * Finds indices out of range before a plan writes memory that others see: each launch that reads
 * indices is checked as soon as those are there, if something would be written before it runs.
 */
final class EarlyChecks {
  /** By step, the launches to check before it runs; null for none. */
  private final List<List<Launch>> before;

  private EarlyChecks(List<List<Launch>> before) {
    this.before = before;
  }

  /**
   * @param isTemporary true for arguments that nobody sees outside of the plan
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

  /** True if indices are computed by a plan, and so cannot be checked before all of it. */
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

  /** Checks what can be checked before a step runs. */
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

  /** Arguments that hold indices which the step's kernel reads. */
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
