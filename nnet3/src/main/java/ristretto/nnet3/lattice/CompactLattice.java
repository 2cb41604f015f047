package ristretto.nnet3.lattice;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import ristretto.kernels.FileFormatException;
import ristretto.nnet3.io.Holder;

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
  public record Weight(float graph, float acoustic, int[] transitions) {
    /** Sum of the scaled costs. */
    double cost(double graphScale, double acousticScale) {
      return graphScale * graph + acousticScale * acoustic;
    }

    private Weight scaled(double graphScale, double acousticScale) {
      return new Weight(
          (float) (graphScale * graph), (float) (acousticScale * acoustic), transitions);
    }
  }

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
  public static final Holder<CompactLattice> HOLDER = new LatticeHolder(true);

  /** Holder for tables of lattices that writes an arc per frame. */
  public static final Holder<CompactLattice> ARC_PER_FRAME = new LatticeHolder(false);

  /** Copies the list. */
  public CompactLattice {
    states = List.copyOf(states);
  }

  /** Returns the lattice with scaled costs. */
  public CompactLattice scaled(double graph, double acoustic) {
    return new CompactLattice(
        start,
        states.stream()
            .map(state ->
                new State(
                    state.end == null ? null : state.end.scaled(graph, acoustic),
                    state.arcs.stream()
                        .map(arc ->
                            new Arc(arc.label, arc.weight.scaled(graph, acoustic), arc.target))
                        .toList()))
            .toList());
  }

  /** Returns the lattice without states that are on no path; states keep their order. */
  public CompactLattice trimmed() {
    int[] order = topologicalOrder();
    var reached = new boolean[order.length];
    var ends = new boolean[order.length];
    for (int s : order) {
      reached[s] |= s == start;
      for (Arc arc : states.get(s).arcs) {
        reached[arc.target] |= reached[s];
      }
    }
    for (int n = order.length - 1; n >= 0; n--) {
      State state = states.get(order[n]);
      ends[order[n]] = state.end != null || state.arcs.stream().anyMatch(arc -> ends[arc.target]);
    }
    var numbers = new int[order.length];
    int count = 0;
    for (int s = 0; s < numbers.length; s++) {
      numbers[s] = reached[s] && ends[s] ? count++ : -1;
    }
    var kept = new ArrayList<State>();
    for (int s = 0; s < numbers.length; s++) {
      if (numbers[s] >= 0) {
        State state = states.get(s);
        kept.add(
            new State(
                state.end,
                state.arcs.stream()
                    .filter(arc -> numbers[arc.target] >= 0)
                    .map(arc -> new Arc(arc.label, arc.weight, numbers[arc.target]))
                    .toList()));
      }
    }
    return new CompactLattice(start < 0 ? -1 : numbers[start], kept);
  }

  /** Returns the lattice with at most one transition on each arc. */
  CompactLattice byFrames() {
    var all = new ArrayList<State>();
    var further = new ArrayList<State>();
    for (State state : states) {
      var arcs = new ArrayList<Arc>();
      for (Arc arc : state.arcs) {
        arcs.add(chain(further, arc.label, arc.weight, arc.target));
      }
      Weight end = state.end;
      if (end != null && end.transitions.length > 0) {
        int last = states.size() + further.size();
        further.add(new State(new Weight(0, 0, new int[0]), List.of()));
        arcs.add(chain(further, 0, end, last));
        end = null;
      }
      all.add(new State(end, arcs));
    }
    all.addAll(further);
    return new CompactLattice(start, all);
  }

  /** Divides an arc; states between its parts are added to {@code further}. */
  private Arc chain(List<State> further, int label, Weight weight, int target) {
    int[] transitions = weight.transitions;
    int to = target;
    for (int k = transitions.length - 1; k >= 1; k--) {
      var rest = new Weight(0, 0, new int[] {transitions[k]});
      further.add(new State(null, List.of(new Arc(0, rest, to))));
      to = states.size() + further.size() - 1;
    }
    int[] first = Arrays.copyOf(transitions, Math.min(1, transitions.length));
    return new Arc(label, new Weight(weight.graph, weight.acoustic, first), to);
  }

  /**
   * Least scaled cost from each state to an end; infinite for states without a way to one.
   *
   * @param order topological order of the states
   * @param graph factor of costs of the graph
   * @param acoustic factor of acoustic costs
   */
  double[] remainingCosts(int[] order, double graph, double acoustic) {
    var remaining = new double[order.length];
    for (int n = order.length - 1; n >= 0; n--) {
      State state = states.get(order[n]);
      double least = state.end == null ? Double.POSITIVE_INFINITY : state.end.cost(graph, acoustic);
      for (Arc arc : state.arcs) {
        least = Math.min(least, arc.weight.cost(graph, acoustic) + remaining[arc.target]);
      }
      remaining[order[n]] = least;
    }
    return remaining;
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
