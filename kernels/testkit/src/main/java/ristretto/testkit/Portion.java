package ristretto.testkit;

import java.util.ArrayList;
import java.util.List;

/**
 * How many combinations of dtypes, shapes and layouts a case is tried with: all of them, or, for
 * devices that take long to compile each, a few, which differ from case to case.
 *
 * @param turn number of the case, which decides what its part is; -1: it tries everything
 */
record Portion(int turn) {
  static final Portion ALL = new Portion(-1);

  /** All elements, or {@code most} of them, one after the other from the case's turn on. */
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

  /** The first element and {@code most} of the others. */
  <E> List<E> firstAnd(List<E> all, int most) {
    var some = new ArrayList<>(all.subList(0, 1));
    some.addAll(of(all.subList(1, all.size()), most));
    return some;
  }
}
