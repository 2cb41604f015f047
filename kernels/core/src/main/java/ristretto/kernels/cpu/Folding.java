package ristretto.kernels.cpu;

import java.util.List;

/**
 * The accumulators that a strip starts and folds itself.
 *
 * @param perCall all rows of a call accumulate into the same lanes, which are folded after the last
 *     one; otherwise each row starts and folds on its own
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
