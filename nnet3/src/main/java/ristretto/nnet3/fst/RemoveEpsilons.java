package ristretto.nnet3.fst;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import ristretto.kernels.FileFormatException;

/**
 * Removes arcs whose input and output are epsilon: each state gets the arcs that follow them. Of
 * arcs with equal labels and targets, the one of least cost stays.
 */
public final class RemoveEpsilons {
  private final Fst fst;
  private final FstBuilder builder = new FstBuilder();
  private final float[] distances;
  private final boolean[] waits;

  private RemoveEpsilons(Fst fst) {
    this.fst = fst;
    distances = new float[fst.states()];
    Arrays.fill(distances, Float.POSITIVE_INFINITY);
    waits = new boolean[fst.states()];
  }

  /**
   * Returns a transducer without epsilon arcs, trimmed. The arcs of each state have the reversed
   * order of their first occurrence, as in OpenFst.
   *
   * @throws FileFormatException if a cycle of epsilon arcs has a negative cost
   */
  public static Fst apply(Fst fst) {
    return new RemoveEpsilons(fst).run();
  }

  private record Labels(int input, int output, int target) {}

  private boolean epsilon(int arc) {
    return fst.input(arc) == 0 && fst.output(arc) == 0;
  }

  private Fst run() {
    var needed = new boolean[fst.states()];
    for (int k = 0; k < fst.arcs(); k++) {
      needed[fst.target(k)] |= !epsilon(k);
    }
    builder.state(fst.states() - 1);
    if (fst.start() >= 0) {
      needed[fst.start()] = true;
      builder.start(fst.start());
    }
    for (int s = 0; s < fst.states(); s++) {
      if (needed[s]) {
        expand(s);
      }
    }
    return Trim.apply(builder.build());
  }

  private void expand(int source) {
    List<Integer> reached = closure(source);
    var seen = new HashMap<Labels, Integer>();
    var labels = new ArrayList<Labels>();
    var costs = new ArrayList<Float>();
    float end = Float.POSITIVE_INFINITY;
    var visited = new HashSet<Integer>();
    var stack = new ArrayDeque<>(List.of(source));
    while (!stack.isEmpty()) {
      int s = stack.pop();
      if (!visited.add(s)) {
        continue;
      }
      float distance = distances[s];
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        if (epsilon(k)) {
          stack.push(fst.target(k));
          continue;
        }
        float cost = distance + fst.cost(k);
        var arc = new Labels(fst.input(k), fst.output(k), fst.target(k));
        Integer before = seen.putIfAbsent(arc, labels.size());
        if (before == null) {
          labels.add(arc);
          costs.add(cost);
        } else {
          costs.set(before, Math.min(costs.get(before), cost));
        }
      }
      end = Math.min(end, distance + fst.finalCost(s));
    }
    for (int k = labels.size() - 1; k >= 0; k--) {
      Labels arc = labels.get(k);
      builder.arc(source, arc.input, arc.output, costs.get(k), arc.target);
    }
    if (end != Float.POSITIVE_INFINITY) {
      builder.finalCost(source, end);
    }
    reached.forEach(s -> distances[s] = Float.POSITIVE_INFINITY);
  }

  /** Computes the distances by epsilon arcs from a state; returns the states reached. */
  private List<Integer> closure(int source) {
    var reached = new ArrayList<Integer>();
    var queue = new ArrayDeque<Integer>();
    distances[source] = 0;
    reached.add(source);
    queue.add(source);
    for (long steps = 0; !queue.isEmpty(); steps++) {
      int s = queue.remove();
      waits[s] = false;
      if (steps > (long) reached.size() * (reached.size() + 1)) {
        throw new FileFormatException(
            "[fst] no cycle of epsilon arcs may have a negative cost; got one through state "
                + s
                + "; correct the costs.");
      }
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        int to = fst.target(k);
        float distance = distances[s] + fst.cost(k);
        if (!epsilon(k) || !(distance < distances[to])) {
          continue;
        }
        if (distances[to] == Float.POSITIVE_INFINITY) {
          reached.add(to);
        }
        distances[to] = distance;
        if (!waits[to]) {
          waits[to] = true;
          queue.add(to);
        }
      }
    }
    return reached;
  }
}
