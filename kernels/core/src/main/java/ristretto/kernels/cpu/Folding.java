package ristretto.kernels.cpu;

import java.util.List;

/**
 * Accumulators that a strip initializes and folds itself.
 *
 * @param folds fold of each accumulator
 * @param perCall true if all rows of a call accumulate into common lanes, which are folded after
 *     the last row; false if each row is folded on its own
 */
record Folding(List<LaneFold> folds, boolean perCall) {
  static final Folding NONE = new Folding(List.of(), false);

  Folding {
    folds = List.copyOf(folds);
  }

  boolean none() {
    return folds.isEmpty();
  }
}
