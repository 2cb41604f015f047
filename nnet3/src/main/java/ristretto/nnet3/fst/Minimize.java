package ristretto.nnet3.fst;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Merges states from which the same strings lead to the end, at the same costs. */
public final class Minimize {
  private static final float QUANTUM = 1e-6f;

  private Minimize() {}

  /**
   * Returns the smallest deterministic acceptor of the same strings and costs, after moving costs
   * towards the start state.
   *
   * @param fst deterministic acceptor, trimmed
   */
  public static Fst apply(Fst fst) {
    return merge(PushWeights.apply(fst), QUANTUM, false);
  }

  /** Arc of a state, of which only the class of the target counts. */
  private record Way(int label, int target) implements Comparable<Way> {
    @Override
    public int compareTo(Way other) {
      return label != other.label
          ? Integer.compare(label, other.label)
          : Integer.compare(target, other.target);
    }
  }

  /** Labels and cost of an arc, or final cost of a state with labels of -1. */
  private record Label(int input, int output, float cost) {}

  /** Class of a state before, its final cost, and its arcs. */
  private record Signature(int before, int end, List<Way> ways) {}

  /**
   * Merges states whose arcs have equal labels and costs, in the same order, and lead to equal
   * states. Costs are not moved, and the acceptor need not be deterministic. The condition of the
   * same order is OpenFst's; without it there would be fewer states than Kaldi's graphs have.
   *
   * @param quantum costs are rounded to multiples of this
   */
  public static Fst withoutPush(Fst fst, float quantum) {
    return merge(fst, quantum, true);
  }

  private static Fst merge(Fst fst, float quantum, boolean sameOrder) {
    Map<Label, Integer> codes = new HashMap<>();
    var labels = new int[fst.arcs()];
    var ends = new int[fst.states()];
    for (int s = 0; s < fst.states(); s++) {
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        float cost = Determinize.quantized(fst.cost(k), quantum);
        labels[k] =
            codes.computeIfAbsent(
                new Label(fst.input(k), fst.output(k), cost), _ -> codes.size() + 1);
      }
      if (fst.isFinal(s)) {
        float cost = Determinize.quantized(fst.finalCost(s), quantum);
        ends[s] = codes.computeIfAbsent(new Label(-1, -1, cost), _ -> codes.size() + 1);
      }
    }
    int[] classes = sameOrder ? orders(fst, labels, ends) : new int[fst.states()];
    return quotient(fst, labels, refined(fst, labels, ends, classes), quantum);
  }

  /** Classes of states whose arcs have the same labels and costs, in the same order. */
  private static int[] orders(Fst fst, int[] labels, int[] ends) {
    var numbers = new HashMap<List<Integer>, Integer>();
    var classes = new int[fst.states()];
    for (int s = 0; s < classes.length; s++) {
      var order = new ArrayList<Integer>();
      for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
        if (order.isEmpty() || order.getLast() != labels[k]) {
          order.add(labels[k]);
        }
      }
      order.add(ends[s]);
      classes[s] = numbers.computeIfAbsent(order, _ -> numbers.size());
    }
    return classes;
  }

  /** Refines the classes of states until the states of each class have the same arcs. */
  private static int[] refined(Fst fst, int[] labels, int[] ends, int[] initial) {
    int[] classes = initial;
    int count = (int) Arrays.stream(classes).distinct().count();
    while (true) {
      var numbers = new HashMap<Signature, Integer>();
      var next = new int[classes.length];
      for (int s = 0; s < next.length; s++) {
        var ways = new TreeSet<Way>();
        for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
          ways.add(new Way(labels[k], classes[fst.target(k)]));
        }
        var signature = new Signature(classes[s], ends[s], List.copyOf(ways));
        next[s] = numbers.computeIfAbsent(signature, _ -> numbers.size());
      }
      classes = next;
      if (numbers.size() == count) {
        return classes;
      }
      count = numbers.size();
    }
  }

  /** Arcs are sorted by the first occurrence of their labels and costs, as in OpenFst. */
  private static Fst quotient(Fst fst, int[] labels, int[] classes, float quantum) {
    var builder = new FstBuilder();
    var done = new boolean[classes.length];
    for (int s = 0; s < classes.length; s++) {
      int from = classes[s];
      if (done[from]) {
        continue;
      }
      done[from] = true;
      builder.state(from);
      if (fst.isFinal(s)) {
        builder.finalCost(from, Determinize.quantized(fst.finalCost(s), quantum));
      }
      var seen = new TreeSet<Way>();
      var arcs = new Integer[fst.firstArc(s + 1) - fst.firstArc(s)];
      int first = fst.firstArc(s);
      Arrays.setAll(arcs, k -> first + k);
      Arrays.sort(
          arcs,
          (a, b) ->
              new Way(labels[a], classes[fst.target(a)])
                  .compareTo(new Way(labels[b], classes[fst.target(b)])));
      for (int k : arcs) {
        int to = classes[fst.target(k)];
        if (seen.add(new Way(labels[k], to))) {
          float cost = Determinize.quantized(fst.cost(k), quantum);
          builder.arc(from, fst.input(k), fst.output(k), cost, to);
        }
      }
    }
    if (fst.start() >= 0) {
      builder.start(classes[fst.start()]);
    }
    return builder.build();
  }
}
