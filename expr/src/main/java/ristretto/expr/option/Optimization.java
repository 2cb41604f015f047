package ristretto.expr.option;

/**
 * Optimizations of recorded programs. Each can be disabled by {@link
 * ristretto.expr.Context#without}; results stay equal, except for rounding where a sum is computed
 * in another kernel.
 */
public enum Optimization {
  /** Inlines element-wise temporaries into the kernels of their readers. */
  INLINE,
  /** Fuses consecutive element-wise assignments of one shape into one kernel. */
  JOIN,
  /**
   * Fuses column sums with the kernel that writes their operand, or with one another, if the device
   * supports such kernels.
   */
  JOIN_SUMS,
  /**
   * Fuses element-wise kernels into products as prologue or epilogue, if the device supports such
   * kernels.
   */
  FUSE_PRODUCTS,
  /**
   * Limits the live range of a temporary to the steps from its first to its last access. Without
   * this optimization all live ranges span the whole program, so that no temporaries share memory.
   */
  LIFETIMES,
  /** Lets temporaries with disjoint live ranges share memory. */
  SHARE_MEMORY,
  /**
   * Lets an element-wise kernel write a temporary in place of one that the kernel reads for the
   * last time.
   */
  IN_PLACE,
  /**
   * Leaves temporaries undefined until they are written; without this optimization they are set to
   * zero first.
   */
  LEAVE_UNDEFINED,
  /** Plans the first iterations of a loop and extrapolates the rest. */
  REPEAT
}
