package ristretto.nnet3.graph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import ristretto.nnet3.network.Nnet;

/**
 * Strongly connected components of the network (epochs), each after those that it reads (Tarjan's
 * algorithm).
 */
public final class Epochs {
  private final Nnet nnet;
  private final int[] found;
  private final int[] low;
  private final boolean[] onStack;
  private final IntList stack = new IntList();
  private final List<int[]> epochs = new ArrayList<>();
  private int count;

  private Epochs(Nnet nnet) {
    int size = nnet.nodes().size();
    this.nnet = nnet;
    this.found = new int[size];
    this.low = new int[size];
    this.onStack = new boolean[size];
  }

  /** Returns the node numbers of each epoch, ascending. */
  public static List<int[]> of(Nnet nnet) {
    var epochs = new Epochs(nnet);
    for (int node = 0; node < epochs.found.length; node++) {
      if (epochs.found[node] == 0) {
        epochs.visit(node);
      }
    }
    return epochs.epochs;
  }

  private void visit(int node) {
    found[node] = ++count;
    low[node] = count;
    stack.add(node);
    onStack[node] = true;
    for (int source : nnet.sources(nnet.node(node))) {
      if (found[source] == 0) {
        visit(source);
        low[node] = Math.min(low[node], low[source]);
      } else if (onStack[source]) {
        low[node] = Math.min(low[node], found[source]);
      }
    }
    if (low[node] == found[node]) {
      var members = new IntList();
      int member;
      do {
        member = stack.removeLast();
        onStack[member] = false;
        members.add(member);
      } while (member != node);
      int[] all = members.toArray();
      Arrays.sort(all);
      epochs.add(all);
    }
  }
}
