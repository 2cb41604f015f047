package ristretto.onednn;

/**
 * Address of a step's operand, relative to a buffer of the run.
 *
 * @param offset offset in bytes for the first task of the phase
 * @param share bytes between the operands of consecutive tasks
 */
record Place(Base base, long offset, long share) {
  /** Buffers that a run receives. */
  enum Base {
    IMAGE,
    FILTER,
    RESULT,
    SHARED,
    SCRATCH
  }
}
