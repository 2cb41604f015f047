package ristretto.kernels.cpu.strip;

import java.util.List;

/**
 * Accumulators that a strip initializes and folds itself.
 *
 * @param folds fold of each accumulator
 * @param perCall true if all rows of a call accumulate into common lanes, which are folded after
 *     the last row; false if each row is folded on its own
 * @param doubled true for twice as many lanes, of maxima and minima: an extreme takes several
 *     dependent instructions, while folding more lanes pays for long rows only
 */
public record AccumulatorFolds(List<LaneFold> folds, boolean perCall, boolean doubled) {
  public static final AccumulatorFolds NONE = new AccumulatorFolds(List.of(), false, false);

  public AccumulatorFolds {
    folds = List.copyOf(folds);
  }

  public boolean none() {
    return folds.isEmpty();
  }
}
