package ristretto.expr.plan;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import ristretto.kernels.ir.Kernel;

/**
 * Replaces loops by the kernels of their iterations. The kernels of later iterations are
 * descriptions of how far their operands have moved, so that preparing a launch needs no kernel.
 *
 * <p>Assumes lowered steps. Guarantees kernels whose index maps have no motion. Runs last: all
 * other passes see the body once.
 */
final class UnrollLoops implements Pass {
  @Override
  public Schedule apply(Schedule schedule) {
    if (schedule.steps().stream().noneMatch(s -> s instanceof Step.Loop)) {
      return schedule;
    }
    var all = new ArrayList<Step>();
    for (Step step : schedule.steps()) {
      if (step instanceof Step.Loop loop) {
        unroll(loop, own(loop, schedule), all);
      } else {
        all.add(step);
      }
    }
    return schedule.with(all);
  }

  /** Temporaries that only the body accesses: each iteration has its own. */
  private static Set<Integer> own(Step.Loop loop, Schedule schedule) {
    Set<Integer> own = Step.buffers(loop);
    own.removeIf(buffer -> !schedule.plan().isTemporary(buffer));
    for (Step other : schedule.steps()) {
      if (other != loop) {
        own.removeAll(Step.buffers(other));
      }
    }
    own.removeAll(moving(loop));
    return own;
  }

  private static Set<Integer> moving(Step.Loop loop) {
    var moving = new HashSet<Integer>();
    for (Step.KernelStep step : kernels(loop)) {
      for (Step.Reference r : Step.references(Step.operands(step.kernel()))) {
        if (r.map().motion() != 0) {
          moving.add(r.buffer());
        }
      }
    }
    return moving;
  }

  private static List<Step.KernelStep> kernels(Step.Loop loop) {
    return loop.body().stream()
        .filter(s -> !(s instanceof Step.Materialize))
        .map(s -> (Step.KernelStep) s)
        .toList();
  }

  private static void unroll(Step.Loop loop, Set<Integer> own, List<Step> all) {
    loop.body().stream().filter(s -> s instanceof Step.Materialize).forEach(all::add);
    List<Iteration> body = kernels(loop).stream().map(s -> new Iteration(s, own)).toList();
    body.forEach(s -> all.add(s.first));
    for (int iteration = 1; iteration < loop.times(); iteration++) {
      for (Iteration s : body) {
        all.add(s.at(iteration, iteration * loop.size()));
      }
    }
  }

  /** Kernel of the body in each iteration. */
  private static final class Iteration {
    final Kernel kernel;
    final Step.KernelStep first;
    final Optional<KernelForm> form;
    final Set<Integer> shared;

    Iteration(Step.KernelStep step, Set<Integer> own) {
      kernel = step.kernel();
      first = new Step.KernelStep(UnrollLoops.at(kernel, 0), step.what(), step.from());
      form = KernelForm.of(kernel);
      shared = new LinkedHashSet<>(first.buffers());
      shared.removeAll(own);
    }

    /**
     * Step of a later iteration.
     *
     * @param later number of recorded assignments in between
     */
    Step.KernelStep at(int iteration, int later) {
      return form.map(f -> new Step.KernelStep(new Step.Motion(first, f, iteration, later, shared)))
          .orElseGet(() ->
              new Step.KernelStep(
                  UnrollLoops.at(kernel, iteration),
                  first.what(),
                  first.from().stream().map(n -> n + later).toList()));
    }
  }

  private static Kernel at(Kernel kernel, int iteration) {
    return new KernelSizes(v -> v, map -> map.at(iteration)).of(kernel);
  }
}
