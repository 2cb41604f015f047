package ristretto.nnet3.fst;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Computes OpenFst's properties of a transducer: a pair of bits for each property, of which one is
 * set. Files of the type compact_acceptor have all of them.
 */
final class FstProperties {
  private static final int EXPANDED = 0;
  private static final int ACCEPTOR = 16;
  private static final int INPUT_DETERMINISTIC = 18;
  private static final int OUTPUT_DETERMINISTIC = 20;
  private static final int EPSILONS = 22;
  private static final int INPUT_EPSILONS = 24;
  private static final int OUTPUT_EPSILONS = 26;
  private static final int INPUT_SORTED = 28;
  private static final int OUTPUT_SORTED = 30;
  private static final int WEIGHTED = 32;
  private static final int CYCLIC = 34;
  private static final int INITIAL_CYCLIC = 36;
  private static final int TOPOLOGICALLY_SORTED = 38;
  private static final int ACCESSIBLE = 40;
  private static final int COACCESSIBLE = 42;
  private static final int STRING = 44;
  private static final int WEIGHTED_CYCLES = 46;

  private final Fst fst;
  private long bits = 1L << EXPANDED;

  private FstProperties(Fst fst) {
    this.fst = fst;
  }

  /** Computes all properties. */
  static long of(Fst fst) {
    return new FstProperties(fst).all();
  }

  /** Sets the first bit of a pair if a property holds, otherwise the second. */
  private void set(int pair, boolean holds) {
    bits |= 1L << (holds ? pair : pair + 1);
  }

  private long all() {
    labels();
    costs();
    boolean forward = true;
    for (int s = 0; s < fst.states(); s++) {
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        forward &= fst.target(k) > s;
      }
    }
    set(TOPOLOGICALLY_SORTED, forward);
    set(STRING, isString());
    var graph = new Graph(fst, false);
    cycles(graph);
    int[] starts = fst.start() >= 0 ? new int[] {fst.start()} : new int[0];
    set(ACCESSIBLE, graph.reach(starts).cardinality() == fst.states());
    int[] ends = IntStream.range(0, fst.states()).filter(fst::isFinal).toArray();
    set(COACCESSIBLE, new Graph(fst, true).reach(ends).cardinality() == fst.states());
    return bits;
  }

  private void labels() {
    boolean epsilons = false;
    boolean inputEpsilons = false;
    boolean outputEpsilons = false;
    for (int k = 0; k < fst.arcs(); k++) {
      inputEpsilons |= fst.input(k) == 0;
      outputEpsilons |= fst.output(k) == 0;
      epsilons |= fst.input(k) == 0 && fst.output(k) == 0;
    }
    set(ACCEPTOR, fst.isAcceptor());
    set(EPSILONS, epsilons);
    set(INPUT_EPSILONS, inputEpsilons);
    set(OUTPUT_EPSILONS, outputEpsilons);
    var inputs = new int[fst.arcs()];
    var outputs = new int[fst.arcs()];
    Arrays.setAll(inputs, fst::input);
    Arrays.setAll(outputs, fst::output);
    set(INPUT_SORTED, sorted(inputs, false));
    set(OUTPUT_SORTED, sorted(outputs, false));
    for (int s = 0; s < fst.states(); s++) {
      Arrays.sort(inputs, fst.firstArc(s), fst.firstArc(s + 1));
      Arrays.sort(outputs, fst.firstArc(s), fst.firstArc(s + 1));
    }
    set(INPUT_DETERMINISTIC, sorted(inputs, true));
    set(OUTPUT_DETERMINISTIC, sorted(outputs, true));
  }

  private boolean sorted(int[] labels, boolean strictly) {
    for (int s = 0; s < fst.states(); s++) {
      for (int k = fst.firstArc(s) + 1; k < fst.firstArc(s + 1); k++) {
        if (strictly ? labels[k] <= labels[k - 1] : labels[k] < labels[k - 1]) {
          return false;
        }
      }
    }
    return true;
  }

  private void costs() {
    boolean weighted = false;
    for (int k = 0; k < fst.arcs(); k++) {
      weighted |= fst.cost(k) != 0 && fst.cost(k) != Float.POSITIVE_INFINITY;
    }
    for (int s = 0; s < fst.states(); s++) {
      weighted |= fst.isFinal(s) && fst.finalCost(s) != 0;
    }
    set(WEIGHTED, weighted);
  }

  /** Returns true if the states are a chain in order, of which only the last is final. */
  private boolean isString() {
    boolean string = fst.start() <= 0;
    for (int s = 0; string && s < fst.states(); s++) {
      int first = fst.firstArc(s);
      int arcs = fst.firstArc(s + 1) - first;
      string =
          fst.isFinal(s)
              ? s == fst.states() - 1 && arcs == 0
              : arcs == 1 && fst.target(first) == s + 1;
    }
    return string;
  }

  private void cycles(Graph graph) {
    int[] components = graph.components();
    boolean cyclic = false;
    boolean initial = false;
    boolean weighted = false;
    for (int s = 0; s < fst.states(); s++) {
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        if (components[fst.target(k)] == components[s]) {
          cyclic = true;
          weighted |= fst.cost(k) != 0;
          initial |= fst.start() >= 0 && components[s] == components[fst.start()];
        }
      }
    }
    set(CYCLIC, cyclic);
    set(INITIAL_CYCLIC, initial);
    set(WEIGHTED_CYCLES, weighted);
  }
}
