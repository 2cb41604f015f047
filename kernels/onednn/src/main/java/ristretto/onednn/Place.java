package ristretto.onednn;

/**
 * Where an operand of a step lies.
 *
 * @param share bytes from one share's operand to the next one's
 */
record Place(Base base, long offset, long share) {
  /** Memory that a run is given. */
  enum Base {
    IMAGE,
    FILTER,
    RESULT,
    SHARED,
    SCRATCH
  }
}
