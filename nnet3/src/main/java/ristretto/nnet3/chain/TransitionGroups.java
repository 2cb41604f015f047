package ristretto.nnet3.chain;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Transitions grouped by their source, target or pdf. Groups have slots in the order of their
 * sizes, so that groups of similar size are adjacent; those of a bucket are padded to one size, at
 * most twice their own.
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

    /** Numbers of the places that are {@code first} or a multiple of {@code step} after it. */
    int[] places(int first, int step) {
      var at = new int[transitions.length / step];
      Arrays.setAll(at, k -> first + k * step);
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
    var bySize = new ArrayList<List<Integer>>();
    for (int g = 0; g < groups; g++) {
      int size = log2(first[g + 1] - first[g]);
      while (bySize.size() <= size) {
        bySize.add(new ArrayList<>());
      }
      bySize.get(size).add(g);
    }
    slots = new int[groups];
    int slot = 0;
    for (int n = bySize.size() - 1; n >= 0; n--) {
      List<Integer> some = bySize.get(n);
      if (some.isEmpty()) {
        continue;
      }
      int size = 1 << n;
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

  private static int log2(int size) {
    return size <= 1 ? 0 : Integer.SIZE - Integer.numberOfLeadingZeros(size - 1);
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
