package ristretto.nnet3.fst;

import java.util.Arrays;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Moves costs towards the start state: the least cost of a path from any other state to the end
 * becomes 0. Costs of whole paths stay the same.
 */
public final class PushWeights {
  /** Smaller improvements are rounding errors, which would go around cycles. */
  private static final float QUANTUM = 1e-6f;

  private PushWeights() {}

  /** Arcs by their targets. */
  private record Backwards(Fst fst, int[] first, int[] arcs, int[] sources) {
    static Backwards of(Fst fst) {
      var first = new int[fst.states() + 1];
      for (int k = 0; k < fst.arcs(); k++) {
        first[fst.target(k) + 1]++;
      }
      Arrays.parallelPrefix(first, Integer::sum);
      int[] next = first.clone();
      var arcs = new int[fst.arcs()];
      var sources = new int[fst.arcs()];
      for (int s = 0; s < fst.states(); s++) {
        for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
          sources[k] = s;
          arcs[next[fst.target(k)]++] = k;
        }
      }
      return new Backwards(fst, first, arcs, sources);
    }

    /**
     * Position of each state in an order of decreasing depth-first finish, from the final states
     * backwards: OpenFst's order, on which rounding errors depend.
     */
    int[] positions() {
      var finished = new int[fst.states()];
      int[] next = first.clone();
      var path = new int[fst.states()];
      var seen = new boolean[fst.states()];
      int count = 0;
      for (int root = 0; root < finished.length; root++) {
        if (!fst.isFinal(root) || seen[root]) {
          continue;
        }
        int depth = 0;
        path[depth++] = root;
        seen[root] = true;
        while (depth > 0) {
          int s = path[depth - 1];
          if (next[s] == first[s + 1]) {
            finished[s] = count++;
            depth--;
            continue;
          }
          int from = sources[arcs[next[s]++]];
          if (!seen[from]) {
            seen[from] = true;
            path[depth++] = from;
          }
        }
      }
      for (int s = 0; s < finished.length; s++) {
        finished[s] = count - finished[s];
      }
      return finished;
    }
  }

  /** Least cost of a path from each state to the end; infinite if there is none. */
  static float[] distancesToEnd(Fst fst) {
    Backwards backwards = Backwards.of(fst);
    int[] positions = backwards.positions();
    var distances = new float[fst.states()];
    Arrays.fill(distances, Float.POSITIVE_INFINITY);
    var waits = new boolean[fst.states()];
    var queue = new PriorityQueue<Integer>(Comparator.comparingInt(s -> positions[s]));
    for (int s = 0; s < distances.length; s++) {
      if (fst.isFinal(s)) {
        distances[s] = fst.finalCost(s);
        waits[s] = true;
        queue.add(s);
      }
    }
    while (!queue.isEmpty()) {
      int s = queue.remove();
      waits[s] = false;
      for (int n = backwards.first[s]; n < backwards.first[s + 1]; n++) {
        int k = backwards.arcs[n];
        int from = backwards.sources[k];
        float distance = distances[s] + fst.cost(k);
        if (distance < distances[from] - QUANTUM) {
          distances[from] = distance;
          if (!waits[from]) {
            waits[from] = true;
            queue.add(from);
          }
        }
      }
    }
    return distances;
  }

  /**
   * Returns a transducer with the same paths and costs.
   *
   * @param fst trimmed transducer without cycles of negative cost
   */
  public static Fst apply(Fst fst) {
    return apply(fst, false);
  }

  /**
   * Returns a transducer with the same paths.
   *
   * @param fst trimmed transducer without cycles of negative cost
   * @param removeTotal true to subtract the least cost of a path from all paths
   */
  public static Fst apply(Fst fst, boolean removeTotal) {
    if (fst.start() < 0) {
      return fst;
    }
    float[] distances = distancesToEnd(fst);
    float total = removeTotal ? 0 : distances[fst.start()];
    boolean entered = false;
    for (int k = 0; k < fst.arcs(); k++) {
      entered |= fst.target(k) == fst.start();
    }
    var builder = new FstBuilder();
    for (int s = 0; s < fst.states(); s++) {
      builder.state(s);
      float added = s == fst.start() && !entered ? total : 0;
      if (fst.isFinal(s)) {
        builder.finalCost(s, fst.finalCost(s) - distances[s] + added);
      }
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        float cost = fst.cost(k) + distances[fst.target(k)] - distances[s] + added;
        builder.arc(s, fst.input(k), fst.output(k), cost, fst.target(k));
      }
    }
    builder.start(fst.start());
    if (entered && total != 0) {
      int start = fst.states();
      builder.arc(start, 0, 0, total, fst.start());
      builder.start(start);
    }
    return builder.build();
  }
}
