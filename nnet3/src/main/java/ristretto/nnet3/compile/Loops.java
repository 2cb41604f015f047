package ristretto.nnet3.compile;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Finds, in a sequence of steps, those that go round: groups of steps each of which does what the
 * group before it does, with rows that are further on by the same distance each time.
 */
final class Loops {
  /** Steps of a group. */
  private static final int LONGEST = 256;

  /** Fewer groups are not worth it. */
  private static final int LEAST_TIMES = 6;

  private Loops() {}

  /**
   * What a step does.
   *
   * @param same numbers that are the same in each group
   * @param moving numbers that grow, or shrink, by the same difference from group to group
   * @param begins whether a group best begins with it: kernels before it end there anyway
   */
  record Shape(int[] same, int[] moving, boolean begins) {
    private boolean isLike(Shape other) {
      return moving.length == other.moving.length && Arrays.equals(same, other.same);
    }
  }

  /**
   * Groups of steps.
   *
   * @param first the first step
   * @param period how many steps each group has
   * @param times how many groups there are
   */
  record Loop(int first, int period, int times) {
    int end() {
      return first + period * times;
    }
  }

  /**
   * The loops among steps, in order; steps that are in none lie between them.
   *
   * @param shapes of each step; null of one that is in no loop
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

  /** How many steps go on as they begin. */
  private static int steps(Shape[] all, int first, int period) {
    int at = first;
    while (at + period < all.length && goesOn(all, first, at, period)) {
      at++;
    }
    return at - first + period;
  }

  /** Whether what comes a period later is further on by as much as it is at the beginning. */
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
