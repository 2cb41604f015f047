package ristretto.expr;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntToLongFunction;

/**
 * Where the temporaries of a plan lie: those whose lifetimes do not meet share a slot.
 *
 * @param all in any order
 * @param count of slots
 */
record Slots(List<Slot> all, int count) {
  /** The slot of an argument. */
  record Slot(int argument, int slot) {}

  /**
   * Of a plan.
   *
   * @param bound the arguments below it are no temporaries
   * @param shared whether temporaries share slots
   * @param outside arguments that are no temporaries either
   */
  static Slots of(
      List<Step> steps, List<Storage> storages, int bound, boolean shared, Set<Integer> outside) {
    Map<Integer, int[]> lifetimes = PlanBuilder.lifetimes(steps);
    boolean anyHost = steps.stream().anyMatch(s -> s instanceof Step.HostStep);
    var order = new ArrayList<Integer>();
    for (int k = bound; k < storages.size(); k++) {
      boolean used = anyHost || lifetimes.containsKey(k);
      if (used && storages.get(k) instanceof Storage.Planned && !outside.contains(k)) {
        order.add(k);
      }
    }
    // Large ones first: a slot is as large as its first, and nothing makes it grow.
    order.sort(Comparator.comparingLong(k -> -((Storage.Planned) storages.get(k)).bytes()));
    var taken = new ArrayList<List<Integer>>();
    var all = new ArrayList<Slot>();
    var sharing = new Sharing(steps, lifetimes, anyHost);
    for (int argument : order) {
      int slot = 0;
      while (slot < taken.size()
          && (!shared || taken.get(slot).stream().anyMatch(t -> sharing.meet(t, argument)))) {
        slot++;
      }
      if (slot == taken.size()) {
        taken.add(new ArrayList<>());
      }
      taken.get(slot).add(argument);
      all.add(new Slot(argument, slot));
    }
    return new Slots(List.copyOf(all), taken.size());
  }

  /** The bytes of each slot: those of its largest argument. */
  long[] bytes(IntToLongFunction ofArgument) {
    var bytes = new long[count];
    for (Slot t : all) {
      bytes[t.slot] = Math.max(bytes[t.slot], ofArgument.applyAsLong(t.argument));
    }
    return bytes;
  }
}
