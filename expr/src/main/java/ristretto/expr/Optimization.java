package ristretto.expr;

/**
 * What is done to recorded assignments to make a program faster or smaller. Each can be left out,
 * see {@link Context#without}; results stay the same, but for rounding where sums are computed in
 * another kernel.
 */
public enum Optimization {
  /** Element-wise temporaries are computed inside the kernels that read them. */
  INLINE,
  /** Element-wise assignments of one shape, one after another, become one kernel. */
  JOIN,
  /**
   * Reductions over outer axes become part of the kernel that writes what they reduce, or of one
   * another, where the device has such kernels.
   */
  JOIN_SUMS,
  /** Products take in the element-wise kernels around them, where the device has such kernels. */
  FUSE_PRODUCTS,
  /**
   * Temporaries need memory from the first kernel that touches them to the last one. Without it all
   * need it from the beginning to the end, so that none lies where another one does.
   */
  LIFETIMES,
  /** Temporaries that do not live at the same time share memory. */
  SHARE_MEMORY,
  /**
   * A temporary that an element-wise kernel makes lies where another one does that the kernel reads
   * for the last time.
   */
  IN_PLACE,
  /** Temporaries hold anything until they are written; without it they are set to zero first. */
  LEAVE_UNDEFINED,
  /** Of rounds that are alike, the first ones are planned, and the others go on as they do. */
  REPEAT
}
