package ristretto.nnet3.lattice;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;

/**
 * Acyclic acceptor of words or phones; each arc has costs and the transitions of its frames.
 *
 * @param start start state; -1 without states
 */
public record CompactLattice(int start, List<State> states) {
  /**
   * Weight of an arc or of an end.
   *
   * @param graph cost of the language model and of the transitions
   * @param acoustic cost of the network's outputs
   * @param transitions transitions of the frames, numbered from 1
   */
  public record Weight(float graph, float acoustic, int[] transitions) {}

  /** Arc with a label; label 0 is epsilon. */
  public record Arc(int label, Weight weight, int target) {}

  /**
   * State.
   *
   * @param end weight of ending in the state, or null
   */
  public record State(Weight end, List<Arc> arcs) {
    /** Copies the list. */
    public State {
      arcs = List.copyOf(arcs);
    }
  }

  /** Holder for tables of lattices, which also reads lattices with an arc per frame. */
  public static final Holder<CompactLattice> HOLDER =
      new Holder<>() {
        @Override
        public boolean ownHeader() {
          return true;
        }

        @Override
        public CompactLattice read(KaldiInput in) {
          return ReadLattice.read(in);
        }

        @Override
        public void write(KaldiOutput out, CompactLattice lattice) {
          WriteLattice.write(out, lattice);
        }
      };

  /** Copies the list. */
  public CompactLattice {
    states = List.copyOf(states);
  }

  /** Order of the states in which each arc leads to a later one. */
  public int[] topologicalOrder() {
    var entering = new int[states.size()];
    states.forEach(state -> state.arcs.forEach(arc -> entering[arc.target]++));
    var order = new int[states.size()];
    int found = 0;
    for (int s = 0; s < order.length; s++) {
      if (entering[s] == 0) {
        order[found++] = s;
      }
    }
    for (int done = 0; done < found; done++) {
      for (Arc arc : states.get(order[done]).arcs) {
        if (--entering[arc.target] == 0) {
          order[found++] = arc.target;
        }
      }
    }
    if (found < order.length) {
      throw new FileFormatException(
          "[lattice] a lattice must have no cycles; got one; leave the utterance out.");
    }
    return order;
  }

  /**
   * Number of frames before each state; -1 for states that cannot be reached.
   *
   * @throws FileFormatException if paths to a state have different lengths
   */
  public int[] times() {
    var times = new int[states.size()];
    Arrays.fill(times, -1);
    if (start >= 0) {
      times[start] = 0;
    }
    for (int s : topologicalOrder()) {
      for (Arc arc : states.get(s).arcs) {
        if (times[s] < 0) {
          continue;
        }
        int time = times[s] + arc.weight.transitions.length;
        if (times[arc.target] >= 0 && times[arc.target] != time) {
          throw new FileFormatException(
              String.format(
                  Locale.ROOT,
                  "[lattice] all paths to a state must have the same number of frames; got %d and"
                      + " %d; align the lattice.",
                  times[arc.target],
                  time));
        }
        times[arc.target] = time;
      }
    }
    return times;
  }

  /**
   * Number of frames of the longest path.
   *
   * @throws FileFormatException if there is no path, or if paths to a state have different lengths
   */
  public int frames() {
    int[] times = times();
    int frames = -1;
    for (int s = 0; s < times.length; s++) {
      Weight end = states.get(s).end;
      if (end != null && times[s] >= 0) {
        frames = Math.max(frames, times[s] + end.transitions.length);
      }
    }
    if (frames < 0) {
      throw new FileFormatException(
          "[lattice] a lattice must have a path; got none; leave the utterance out.");
    }
    return frames;
  }
}
