package ristretto.testkit;

/**
 * The largest error so far.
 *
 * @param ulps units in the last place
 * @param where the operation that has it
 */
record Worst(double ulps, String where) {
  static final Worst NONE = new Worst(0, "");

  Worst or(Worst other) {
    return other.ulps > ulps ? other : this;
  }
}
