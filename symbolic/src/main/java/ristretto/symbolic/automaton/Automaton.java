package ristretto.symbolic.automaton;

import java.util.Arrays;
import java.util.Locale;
import ristretto.kernels.ShapeException;

/**
 * Weighted automaton over the classes of a network's output (a finite-state acceptor): each step
 * follows a transition, which has a class. A path is a start, a transition for each step, and an
 * end; its weight is the product of theirs. See {@code lfmmi}.
 *
 * <p>Arrays are not copied and must not be changed.
 *
 * @param sources state from which each transition leads
 * @param targets state to which each transition leads
 * @param classes class of each transition
 * @param logWeights logarithm of the weight of each transition
 * @param starts logarithm of the weight of starting in each state; minus infinity for others
 * @param ends logarithm of the weight of ending in each state; minus infinity for others
 */
public record Automaton(
    int[] sources,
    int[] targets,
    int[] classes,
    double[] logWeights,
    double[] starts,
    double[] ends) {
  /** Checks the arrays. */
  public Automaton {
    int states = starts.length;
    boolean fits =
        states > 0
            && ends.length == states
            && sources.length > 0
            && targets.length == sources.length
            && classes.length == sources.length
            && logWeights.length == sources.length
            && Arrays.stream(sources).allMatch(s -> s >= 0 && s < states)
            && Arrays.stream(targets).allMatch(s -> s >= 0 && s < states)
            && Arrays.stream(classes).allMatch(c -> c >= 0);
    if (!fits) {
      throw new ShapeException(
          String.format(
              Locale.ROOT,
              "[automaton] there must be a start and an end for each state, at least one"
                  + " transition, and for each a source and a target of the states, a class from 0"
                  + " and a weight; got %d starts, %d ends, %d sources, %d targets, %d classes and"
                  + " %d weights; correct them.",
              states,
              ends.length,
              sources.length,
              targets.length,
              classes.length,
              logWeights.length));
    }
  }

  /** Number of states. */
  public int states() {
    return starts.length;
  }

  /** Largest number of transitions of a state, given the states of all transitions. */
  int largest(int[] of) {
    var counts = new int[states()];
    for (int s : of) {
      counts[s]++;
    }
    return Arrays.stream(counts).max().orElse(0);
  }
}
