package ristretto.nnet3.chain;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/**
 * Transitions grouped by their source, target or pdf. Groups have slots in the order of their
 * sizes, so that groups of similar size are adjacent; those of a bucket are padded to one size, at
 * most half as much again as their own.
 */
final class TransitionGroups {
  /** Slot of each group. */
  final int[] slots;

  final List<Bucket> buckets = new ArrayList<>();

  /**
   * Groups in adjacent slots.
   *
   * @param groups number of groups
   * @param size number of places of each group
   * @param transitions transition at each place, by groups; -1 for none
   */
  record Bucket(int groups, int size, int[] transitions) {
    /** Values of the transitions; {@code none} where there is no transition. */
    int[] of(int[] values, int none) {
      return Arrays.stream(transitions).map(k -> k < 0 ? none : values[k]).toArray();
    }

    /**
     * Numbers of the places that are {@code first}, or a multiple of {@code step} after it, in each
     * group: those of the first blocks of all groups, then those of the second, and so on.
     */
    int[] places(int first, int step) {
      int blocks = size / step;
      var at = new int[groups * blocks];
      Arrays.setAll(at, k -> first + k / groups * step + k % groups * size);
      return at;
    }

    /** Values of the transitions; 0 where there is no transition. */
    float[] of(float[] values) {
      var of = new float[transitions.length];
      for (int k = 0; k < of.length; k++) {
        of[k] = transitions[k] < 0 ? 0 : values[transitions[k]];
      }
      return of;
    }
  }

  TransitionGroups(int[] groupOf, int groups) {
    var first = new int[groups + 1];
    for (int g : groupOf) {
      first[g + 1]++;
    }
    for (int g = 0; g < groups; g++) {
      first[g + 1] += first[g];
    }
    int[] next = first.clone();
    var members = new int[groupOf.length];
    for (int k = 0; k < groupOf.length; k++) {
      members[next[groupOf[k]]++] = k;
    }
    var bySize = new TreeMap<Integer, List<Integer>>(Comparator.reverseOrder());
    for (int g = 0; g < groups; g++) {
      bySize.computeIfAbsent(padded(first[g + 1] - first[g]), _ -> new ArrayList<>()).add(g);
    }
    slots = new int[groups];
    int slot = 0;
    for (var entry : bySize.entrySet()) {
      int size = entry.getKey();
      List<Integer> some = entry.getValue();
      var places = new int[Math.multiplyExact(some.size(), size)];
      Arrays.fill(places, -1);
      for (int k = 0; k < some.size(); k++) {
        int g = some.get(k);
        slots[g] = slot++;
        System.arraycopy(members, first[g], places, k * size, first[g + 1] - first[g]);
      }
      buckets.add(new Bucket(some.size(), size, places));
    }
  }

  /**
   * Smallest size of at least a number of transitions: 1, 2, 3, 4, 6, 8, 12, 16, and so on, of
   * which those above 16 are multiples of 8.
   */
  private static int padded(int transitions) {
    int size = Integer.highestOneBit(Math.max(1, transitions));
    if (size < transitions) {
      size += size / 2 < transitions - size ? size : size / 2;
    }
    return size > 16 ? (size + 7) / 8 * 8 : size;
  }

  /** Values of groups in the order of their slots. */
  float[] inSlots(float[] values) {
    var of = new float[slots.length];
    for (int g = 0; g < of.length; g++) {
      of[slots[g]] = values[g];
    }
    return of;
  }
}
