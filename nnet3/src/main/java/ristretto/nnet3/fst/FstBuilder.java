package ristretto.nnet3.fst;

import java.util.Arrays;

/** Collects states and arcs of a transducer, in any order. */
public final class FstBuilder {
  /** OpenFst's property of an FST that has a list of states. */
  private static final long EXPANDED = 1;

  private long properties = EXPANDED;
  private int start = -1;
  private int states;
  private int finals;
  private int[] finalStates = new int[16];
  private float[] finalCosts = new float[16];
  private int arcs;
  private int[] sources = new int[16];
  private int[] inputs = new int[16];
  private int[] outputs = new int[16];
  private int[] targets = new int[16];
  private float[] costs = new float[16];

  /** Sets OpenFst's properties, which are written unchanged. */
  public void properties(long all) {
    properties = all;
  }

  /** Adds a state, and all below it. */
  public void state(int state) {
    states = Math.max(states, state + 1);
  }

  /** Sets the start state. */
  public void start(int state) {
    state(state);
    start = state;
  }

  /** Makes a state final; the last cost counts. */
  public void finalCost(int state, float cost) {
    state(state);
    if (finals == finalStates.length) {
      finalStates = Arrays.copyOf(finalStates, 2 * finals);
      finalCosts = Arrays.copyOf(finalCosts, 2 * finals);
    }
    finalStates[finals] = state;
    finalCosts[finals++] = cost;
  }

  /** Adds an arc. */
  public void arc(int source, int input, int output, float cost, int target) {
    state(Math.max(source, target));
    if (arcs == sources.length) {
      sources = Arrays.copyOf(sources, 2 * arcs);
      inputs = Arrays.copyOf(inputs, 2 * arcs);
      outputs = Arrays.copyOf(outputs, 2 * arcs);
      targets = Arrays.copyOf(targets, 2 * arcs);
      costs = Arrays.copyOf(costs, 2 * arcs);
    }
    sources[arcs] = source;
    inputs[arcs] = input;
    outputs[arcs] = output;
    targets[arcs] = target;
    costs[arcs++] = cost;
  }

  /** Number of states so far. */
  public int states() {
    return states;
  }

  /** Returns the transducer; arcs of a state keep their order. */
  public Fst build() {
    var first = new int[states + 1];
    for (int k = 0; k < arcs; k++) {
      first[sources[k] + 1]++;
    }
    for (int s = 0; s < states; s++) {
      first[s + 1] += first[s];
    }
    int[] next = Arrays.copyOf(first, states);
    var in = new int[arcs];
    var out = new int[arcs];
    var to = new int[arcs];
    var cost = new float[arcs];
    for (int k = 0; k < arcs; k++) {
      int at = next[sources[k]]++;
      in[at] = inputs[k];
      out[at] = outputs[k];
      to[at] = targets[k];
      cost[at] = costs[k];
    }
    var ends = new float[states];
    Arrays.fill(ends, Float.POSITIVE_INFINITY);
    for (int k = 0; k < finals; k++) {
      ends[finalStates[k]] = finalCosts[k];
    }
    return new Fst(start, ends, first, in, out, to, cost, properties);
  }
}
