package ristretto.nnet3.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Finds loops in a list of steps: consecutive groups of steps in which each group repeats the one
 * before it, with row positions moved by a constant stride.
 */
final class Loops {
  /** Maximum number of steps per iteration. */
  private static final int LONGEST = 256;

  /** Minimum trip count; shorter loops do not pay off. */
  private static final int LEAST_TIMES = 6;

  private Loops() {}

  /**
   * Fingerprint of a step.
   *
   * @param same numbers that are equal in each iteration
   * @param moving numbers that change by a constant difference from iteration to iteration
   * @param begins true if a loop body should start with this step: kernels before it end there in
   *     any case
   */
  record Shape(int[] same, int[] moving, boolean begins) {
    private boolean isLike(Shape other) {
      return moving.length == other.moving.length && Arrays.equals(same, other.same);
    }
  }

  /**
   * Loop over steps.
   *
   * @param first index of the first step
   * @param period number of steps per iteration
   * @param times trip count
   */
  record Loop(int first, int period, int times) {
    int end() {
      return first + period * times;
    }
  }

  /**
   * Returns the loops, in order; steps between them are in no loop.
   *
   * @param steps number of steps
   * @param shapes fingerprint of each step; null for a step that is in no loop
   */
  static List<Loop> of(int steps, IntFunction<Shape> shapes) {
    var all = new Shape[steps];
    Arrays.setAll(all, shapes);
    var loops = new ArrayList<Loop>();
    int at = 0;
    while (at < steps) {
      Loop loop = all[at] == null ? null : from(all, at);
      if (loop != null) {
        loops.add(loop);
        at = loop.end();
      } else {
        at++;
      }
    }
    return loops;
  }

  private static Loop from(Shape[] all, int first) {
    int last = Math.min(all.length - 1, first + LONGEST);
    for (int second = first + 1; second <= last && all[second] != null; second++) {
      if (all[first].isLike(all[second])) {
        int period = second - first;
        int steps = steps(all, first, period);
        int skipped = 0;
        while (skipped < period && !all[first + skipped].begins) {
          skipped++;
        }
        skipped %= period;
        int times = (steps - skipped) / period;
        if (times >= LEAST_TIMES) {
          return new Loop(first + skipped, period, times);
        }
      }
    }
    return null;
  }

  /** Returns the number of steps from {@code first} on that repeat with the period. */
  private static int steps(Shape[] all, int first, int period) {
    int at = first;
    while (at + period < all.length && goesOn(all, first, at, period)) {
      at++;
    }
    return at - first + period;
  }

  /**
   * Returns true if the step one period later moves by as much as the first iteration's step does.
   */
  private static boolean goesOn(Shape[] all, int first, int at, int period) {
    Shape one = all[at];
    Shape next = all[at + period];
    if (one == null || next == null || !one.isLike(next)) {
      return false;
    }
    Shape like = all[first + (at - first) % period];
    Shape after = all[first + (at - first) % period + period];
    for (int k = 0; k < one.moving.length; k++) {
      if (next.moving[k] - one.moving[k] != after.moving[k] - like.moving[k]) {
        return false;
      }
    }
    return true;
  }
}
