package ristretto.testkit;

import java.util.ArrayList;
import java.util.List;

/**
 * Subset of the combinations of dtypes, shapes and layouts that a case runs with: all of them, or a
 * few that differ from case to case, for devices whose compilers are slow.
 *
 * @param turn number of the case, which selects its subset; -1 for all combinations
 */
record Portion(int turn) {
  static final Portion ALL = new Portion(-1);

  /** Returns all elements, or {@code most} consecutive ones from an offset by the case's turn. */
  <E> List<E> of(List<E> all, int most) {
    if (turn < 0 || all.size() <= most) {
      return all;
    }
    var some = new ArrayList<E>();
    for (int k = 0; k < most; k++) {
      some.add(all.get((turn * most + k) % all.size()));
    }
    return some;
  }

  /** Returns the first element and {@code most} of the others. */
  <E> List<E> firstAnd(List<E> all, int most) {
    var some = new ArrayList<>(all.subList(0, 1));
    some.addAll(of(all.subList(1, all.size()), most));
    return some;
  }
}
