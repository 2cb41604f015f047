package ristretto.expr.memory;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.function.LongUnaryOperator;

/**
 * Allocator for devices whose buffers have no parts: temporaries with disjoint live ranges share a
 * slot, a buffer as large as the largest of them.
 */
public final class SlotPlanner implements MemoryPlanner {
  /** Temporaries by slot, preceded by the result if the slot is a result's memory. */
  private final List<List<Integer>> slots = new ArrayList<>();

  private final List<Integer> results;
  private final IntToLongFunction temporary;

  /**
   * Assigns temporaries to slots.
   *
   * @param temporary bytes by argument, as in the plan
   * @param shared true if temporaries may share slots at all
   * @param byLiveness true if all temporaries with disjoint live ranges may share a slot; false if
   *     only those written in place of one another may
   * @param least maps a size in the plan to bytes at the least number that sizes are linear in
   */
  public SlotPlanner(
      Interference interference,
      List<Integer> temporaries,
      List<Integer> results,
      IntToLongFunction temporary,
      IntToLongFunction result,
      boolean shared,
      boolean byLiveness,
      LongUnaryOperator least) {
    this.results = List.copyOf(results);
    this.temporary = temporary;
    // Largest first: a slot has the size of its first temporary and never grows.
    var order = new ArrayList<>(temporaries);
    order.sort(Comparator.comparingLong(k -> -temporary.applyAsLong(k)));
    results.forEach(k -> slots.add(new ArrayList<>(List.of(k))));
    for (int argument : order) {
      int slot = 0;
      while (slot < slots.size()
          && !(shared
              && (slot >= results.size()
                  || fits(
                      temporary.applyAsLong(argument),
                      result.applyAsLong(results.get(slot)),
                      least))
              && slots.get(slot).stream().noneMatch(t -> interference.between(t, argument))
              && (byLiveness
                  || slots.get(slot).stream()
                      .anyMatch(t -> interference.isInPlace(t, argument))))) {
        slot++;
      }
      if (slot == slots.size()) {
        slots.add(new ArrayList<>());
      }
      slots.get(slot).add(argument);
    }
  }

  /** Returns true if a temporary is no larger than the memory, for each n of linear sizes. */
  private static boolean fits(long bytes, long into, LongUnaryOperator least) {
    return bytes <= into && least.applyAsLong(bytes) <= least.applyAsLong(into);
  }

  @Override
  public MemoryPlan plan(LongUnaryOperator size) {
    int own = slots.size() - results.size();
    var all = new ArrayList<MemoryPlan.Placement>();
    var bytes = new ArrayList<Long>();
    for (int slot = 0; slot < slots.size(); slot++) {
      boolean isResult = slot < results.size();
      int buffer = isResult ? own + slot : slot - results.size();
      long most = 0;
      for (int k = isResult ? 1 : 0; k < slots.get(slot).size(); k++) {
        int argument = slots.get(slot).get(k);
        long needed = size.applyAsLong(temporary.applyAsLong(argument));
        all.add(new MemoryPlan.Placement(argument, buffer, 0, needed, true));
        most = Math.max(most, needed);
      }
      if (!isResult) {
        bytes.add(most);
      }
    }
    return new MemoryPlan(all, bytes, results);
  }
}
