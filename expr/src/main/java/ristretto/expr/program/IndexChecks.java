package ristretto.expr.program;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import ristretto.expr.plan.Step;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Launch;

/**
 * Detects indices out of range before a plan writes memory that is visible outside of it. Each
 * launch that reads indices is checked as soon as the indices are computed, if an earlier step
 * writes visible memory.
 */
final class IndexChecks {
  /** Launches to check before each step runs, by step; null for none. */
  private final List<List<Launch>> before;

  private IndexChecks(List<List<Launch>> before) {
    this.before = before;
  }

  /**
   * Schedules the checks of a plan.
   *
   * @param isTemporary true for arguments that are not visible outside of the plan
   */
  static IndexChecks of(List<Step.Lowered> steps, Launch[] launches, IntPredicate isTemporary) {
    var before = new ArrayList<List<Launch>>();
    steps.forEach(_ -> before.add(null));
    // for each buffer the step after its last writer; other code on the host may write all buffers
    var afterWriter = new HashMap<Integer, Integer>();
    int afterHost = 0;
    // step after the last one that writes visible memory
    int afterVisible = 0;
    for (int k = 0; k < launches.length; k++) {
      Set<Integer> indices = indices(steps.get(k));
      int at = afterHost;
      for (int buffer : indices) {
        at = Math.max(at, afterWriter.getOrDefault(buffer, 0));
      }
      if (!indices.isEmpty() && at < afterVisible) {
        if (before.get(at) == null) {
          before.set(at, new ArrayList<>());
        }
        before.get(at).add(launches[k]);
      }
      if (steps.get(k) instanceof Step.HostStep h && !h.isBound()) {
        afterHost = k + 1;
      }
      for (int buffer : written(steps.get(k))) {
        afterWriter.put(buffer, k + 1);
        if (!isTemporary.test(buffer)) {
          afterVisible = k + 1;
        }
      }
    }
    return new IndexChecks(before);
  }

  /**
   * Returns true if a step of the plan computes indices that a later step reads, so that they
   * cannot be checked before the first step.
   */
  static boolean isAnyLate(List<Step.Lowered> steps) {
    if (steps.stream().allMatch(s -> indices(s).isEmpty())) {
      return false;
    }
    var written = new HashSet<Integer>();
    for (Step.Lowered step : steps) {
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

  private static Set<Integer> written(Step.Lowered step) {
    return step instanceof Step.KernelStep k ? k.written() : Step.written(step);
  }

  private static Set<Integer> indices(Step.Lowered step) {
    return step instanceof Step.KernelStep k ? k.indices() : Set.of();
  }
}
