package ristretto.nnet3.fst;

import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.IntStream;

/** Removes the states that are on no path from the start state to a final state. */
public final class Trim {
  private Trim() {}

  /** Returns the rest of a transducer; states and arcs keep their order. */
  public static Fst apply(Fst fst) {
    var kept = new BitSet();
    if (fst.start() >= 0) {
      kept = new Graph(fst, false).reach(new int[] {fst.start()});
      int[] ends = IntStream.range(0, fst.states()).filter(fst::isFinal).toArray();
      kept.and(new Graph(fst, true).reach(ends));
    }
    if (kept.cardinality() == fst.states()) {
      return fst;
    }
    var numbers = new int[fst.states()];
    Arrays.fill(numbers, -1);
    int count = 0;
    for (int s = kept.nextSetBit(0); s >= 0; s = kept.nextSetBit(s + 1)) {
      numbers[s] = count++;
    }
    return Renumber.apply(fst, numbers);
  }
}
