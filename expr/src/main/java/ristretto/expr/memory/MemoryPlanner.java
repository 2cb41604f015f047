package ristretto.expr.memory;

import java.util.function.LongUnaryOperator;

/**
 * Allocator for the temporaries of a plan. The memory of a result that one step overwrites
 * completely may hold temporaries until that step, since its old elements are lost in any case.
 */
public sealed interface MemoryPlanner permits SlotPlanner, OffsetPlanner {
  /**
   * Allocates the temporaries.
   *
   * @param size maps a size in the plan to bytes, for plans whose sizes are linear in a number
   */
  MemoryPlan plan(LongUnaryOperator size);
}
