package ristretto.testkit;

/**
 * Largest error so far.
 *
 * @param ulps units in the last place
 * @param where name of the operation with that error
 */
record Worst(double ulps, String where) {
  static final Worst NONE = new Worst(0, "");

  Worst or(Worst other) {
    return other.ulps > ulps ? other : this;
  }
}
