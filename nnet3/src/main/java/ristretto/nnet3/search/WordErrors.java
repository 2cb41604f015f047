package ristretto.nnet3.search;

import java.util.List;

/**
 * Fewest errors that turn a reference into a hypothesis.
 *
 * @param insertions words of the hypothesis that are not in the reference
 * @param deletions words of the reference that are not in the hypothesis
 * @param substitutions words that differ
 */
public record WordErrors(int insertions, int deletions, int substitutions) {
  /** Number of errors. */
  public int total() {
    return insertions + deletions + substitutions;
  }

  /** Aligns two sequences of words; of equally good alignments, the one that Kaldi chooses. */
  public static <T> WordErrors of(List<T> reference, List<T> hypothesis) {
    var before = new WordErrors[reference.size() + 1];
    for (int k = 0; k < before.length; k++) {
      before[k] = new WordErrors(0, k, 0);
    }
    for (T word : hypothesis) {
      var now = new WordErrors[before.length];
      now[0] = before[0].plus(1, 0, 0);
      for (int k = 1; k < now.length; k++) {
        int differs = word.equals(reference.get(k - 1)) ? 0 : 1;
        int substituted = before[k - 1].total() + differs;
        int inserted = before[k].total() + 1;
        int deleted = now[k - 1].total() + 1;
        if (substituted < inserted && substituted < deleted) {
          now[k] = before[k - 1].plus(0, 0, differs);
        } else if (deleted < inserted) {
          now[k] = now[k - 1].plus(0, 1, 0);
        } else {
          now[k] = before[k].plus(1, 0, 0);
        }
      }
      before = now;
    }
    return before[before.length - 1];
  }

  /** Returns the sums of errors. */
  public WordErrors plus(WordErrors other) {
    return plus(other.insertions, other.deletions, other.substitutions);
  }

  private WordErrors plus(int moreInsertions, int moreDeletions, int moreSubstitutions) {
    return new WordErrors(
        insertions + moreInsertions, deletions + moreDeletions, substitutions + moreSubstitutions);
  }
}
