package ristretto.nnet3.fst;

import java.util.Arrays;
import ristretto.nnet3.io.Holder;
import ristretto.nnet3.io.KaldiInput;
import ristretto.nnet3.io.KaldiOutput;

/**
 * Finite-state transducer over the tropical semiring: weights are costs, negative logarithms of
 * probabilities. Label 0 is epsilon; in an acceptor, input and output labels are equal. Arcs are
 * numbered by their source state, so that those of a state are consecutive. Arrays are not copies
 * and must not be changed.
 */
public final class Fst {
  /** Holder for tables of transducers. */
  public static final Holder<Fst> HOLDER =
      new Holder<>() {
        @Override
        public boolean ownHeader() {
          return true;
        }

        @Override
        public Fst read(KaldiInput in) {
          return ReadFst.any(in);
        }

        @Override
        public void write(KaldiOutput out, Fst fst) {
          if (out.binary()) {
            WriteFst.vector(out, fst);
          } else {
            WriteFst.text(out, fst);
          }
        }
      };

  private final int start;
  private final float[] finalCosts;
  private final int[] firstArcs;
  private final int[] inputs;
  private final int[] outputs;
  private final int[] targets;
  private final float[] costs;
  private final long properties;

  /**
   * Creates a transducer that shares the arrays.
   *
   * @param start start state, or -1 if there is none
   * @param finalCosts final cost of each state; infinite for a state that is not final
   * @param firstArcs number of the first arc of each state, and the number of arcs at the end
   * @param targets state to which each arc leads
   * @param properties OpenFst's properties, of which few may be known
   */
  Fst(
      int start,
      float[] finalCosts,
      int[] firstArcs,
      int[] inputs,
      int[] outputs,
      int[] targets,
      float[] costs,
      long properties) {
    this.start = start;
    this.finalCosts = finalCosts;
    this.firstArcs = firstArcs;
    this.inputs = inputs;
    this.outputs = outputs;
    this.targets = targets;
    this.costs = costs;
    this.properties = properties;
  }

  /** OpenFst's properties, as they were read. */
  long properties() {
    return properties;
  }

  /** Start state, or -1 if there is none. */
  public int start() {
    return start;
  }

  /** Number of states. */
  public int states() {
    return finalCosts.length;
  }

  /** Number of arcs. */
  public int arcs() {
    return inputs.length;
  }

  /** Number of the first arc of a state; for the number of states, the number of arcs. */
  public int firstArc(int state) {
    return firstArcs[state];
  }

  /** Returns true if a path may end in a state. */
  public boolean isFinal(int state) {
    return finalCosts[state] != Float.POSITIVE_INFINITY;
  }

  /** Cost of ending in a state; infinite if it is not final. */
  public float finalCost(int state) {
    return finalCosts[state];
  }

  /** Input label of an arc. */
  public int input(int arc) {
    return inputs[arc];
  }

  /** Output label of an arc. */
  public int output(int arc) {
    return outputs[arc];
  }

  /** State to which an arc leads. */
  public int target(int arc) {
    return targets[arc];
  }

  /** Cost of an arc. */
  public float cost(int arc) {
    return costs[arc];
  }

  /** Largest input label; 0 without arcs. */
  public int largestInput() {
    return Arrays.stream(inputs).max().orElse(0);
  }

  /** Returns true if input and output labels are equal. */
  public boolean isAcceptor() {
    return Arrays.equals(inputs, outputs);
  }

  /** Returns true if an arc has an input label of 0. */
  public boolean hasInputEpsilons() {
    return Arrays.stream(inputs).anyMatch(label -> label == 0);
  }
}
