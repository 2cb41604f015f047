package ristretto.nnet3.fst;

import java.util.Arrays;
import java.util.BitSet;

/** States and arcs of a transducer as a graph, forwards or backwards. */
final class Graph {
  private final int[] first;
  private final int[] targets;

  Graph(Fst fst, boolean backwards) {
    int states = fst.states();
    first = new int[states + 1];
    targets = new int[fst.arcs()];
    if (!backwards) {
      Arrays.setAll(first, fst::firstArc);
      Arrays.setAll(targets, fst::target);
      return;
    }
    for (int k = 0; k < targets.length; k++) {
      first[fst.target(k) + 1]++;
    }
    Arrays.parallelPrefix(first, Integer::sum);
    int[] next = first.clone();
    for (int s = 0; s < states; s++) {
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        targets[next[fst.target(k)]++] = s;
      }
    }
  }

  /** States that can be reached from the roots, with these. */
  BitSet reach(int[] roots) {
    var reached = new BitSet();
    int[] stack = Arrays.copyOf(roots, first.length);
    int depth = roots.length;
    for (int root : roots) {
      reached.set(root);
    }
    while (depth > 0) {
      int s = stack[--depth];
      for (int k = first[s]; k < first[s + 1]; k++) {
        if (!reached.get(targets[k])) {
          reached.set(targets[k]);
          stack[depth++] = targets[k];
        }
      }
    }
    return reached;
  }

  /**
   * Number of the strongly connected component of each state, by Tarjan's algorithm with explicit
   * stacks.
   */
  int[] components() {
    int states = first.length - 1;
    var component = new int[states];
    Arrays.fill(component, -1);
    var order = new int[states];
    var low = new int[states];
    int[] next = Arrays.copyOf(first, states);
    var path = new int[states];
    var open = new int[states];
    int visited = 0;
    int opened = 0;
    int found = 0;
    for (int root = 0; root < states; root++) {
      if (order[root] != 0) {
        continue;
      }
      int depth = 0;
      path[depth++] = root;
      while (depth > 0) {
        int s = path[depth - 1];
        if (order[s] == 0) {
          order[s] = ++visited;
          low[s] = visited;
          open[opened++] = s;
        }
        if (next[s] < first[s + 1]) {
          int to = targets[next[s]++];
          if (order[to] == 0) {
            path[depth++] = to;
          } else if (component[to] < 0) {
            low[s] = Math.min(low[s], order[to]);
          }
          continue;
        }
        depth--;
        if (depth > 0) {
          low[path[depth - 1]] = Math.min(low[path[depth - 1]], low[s]);
        }
        if (low[s] == order[s]) {
          int member;
          do {
            member = open[--opened];
            component[member] = found;
          } while (member != s);
          found++;
        }
      }
    }
    return component;
  }
}
