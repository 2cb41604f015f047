package ristretto.nnet3.lower;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import ristretto.expr.Context;

/**
 * Runs steps in order, with the steps of recurrences as loops of equal iterations; a recording then
 * contains only the first few iterations of a loop (see {@link Context#repeat}).
 */
final class StepLoops {
  private final Context context;
  private final List<Step> steps;
  private final List<Loops.Loop> loops;

  /**
   * Finds the loops.
   *
   * @param steps in the order of execution
   * @param shapes fingerprint of each step; see {@link Loops#of}
   */
  StepLoops(Context context, List<Step> steps, IntFunction<Loops.Shape> shapes) {
    this(context, steps, Loops.of(steps.size(), shapes));
  }

  private StepLoops(Context context, List<Step> steps, List<Loops.Loop> loops) {
    this.context = context;
    this.steps = steps;
    this.loops = loops;
  }

  /** Returns a copy in which the last iteration of each loop is not part of the loop. */
  StepLoops withoutLastRounds() {
    var all = new ArrayList<Loops.Loop>();
    for (Loops.Loop loop : loops) {
      all.add(new Loops.Loop(loop.first(), loop.period(), loop.times() - 1));
    }
    return new StepLoops(context, steps, all);
  }

  /**
   * Runs the steps.
   *
   * @param work computes a step
   * @param skipped receives each step left out of the recording, and the corresponding recorded
   *     step
   * @param stepOf step of a label
   * @param labelOf label of a step
   */
  void run(
      Consumer<Step> work,
      BiConsumer<Step, Step> skipped,
      Function<Object, Step> stepOf,
      Function<Step, Object> labelOf) {
    int at = 0;
    for (Loops.Loop loop : loops) {
      steps.subList(at, loop.first()).forEach(work);
      int[] done = {loop.first()};
      context.repeat(
          loop.times(),
          round -> {
            int first = loop.first() + round * loop.period();
            steps.subList(first, first + loop.period()).forEach(work);
            done[0] = first + loop.period();
          },
          (label, by) -> labelOf.apply(later(loop, stepOf.apply(label), by)));
      for (int k = done[0]; k < loop.end(); k++) {
        Step like = steps.get(done[0] - loop.period() + (k - done[0]) % loop.period());
        skipped.accept(steps.get(k), like);
      }
      at = loop.end();
    }
    steps.subList(at, steps.size()).forEach(work);
  }

  private Step later(Loops.Loop loop, Step step, int by) {
    for (int k = loop.first(); k < loop.end(); k++) {
      if (steps.get(k) == step) {
        return steps.get(k + by * loop.period());
      }
    }
    throw new IllegalStateException("no step of the loop: " + step);
  }
}
