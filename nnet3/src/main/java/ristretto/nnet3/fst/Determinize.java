package ristretto.nnet3.fst;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Makes a weighted acceptor deterministic: no state has two arcs of one label. States of the result
 * are sets of states, each with the cost that remains to be paid.
 */
public final class Determinize {
  /** Remaining costs are rounded to multiples of this, so that sets can be equal. */
  static final float QUANTUM = 1 / 1024f;

  private final Fst fst;
  private final FstBuilder builder = new FstBuilder();
  private final Map<List<Element>, Integer> numbers = new HashMap<>();
  private final List<List<Element>> subsets = new ArrayList<>();

  /** State of a set. */
  private record Element(int state, float cost) {}

  private Determinize(Fst fst) {
    this.fst = fst;
  }

  /**
   * Returns a deterministic acceptor of the same strings and costs, with sorted arcs; empty if it
   * would need more than {@code most} states.
   *
   * @param fst acceptor without epsilons
   */
  public static Optional<Fst> apply(Fst fst, int most) {
    return new Determinize(fst).run(most);
  }

  static float quantized(float cost, float quantum) {
    return Float.isInfinite(cost) ? cost : (float) Math.floor(cost / quantum + 0.5f) * quantum;
  }

  private Optional<Fst> run(int most) {
    if (fst.start() < 0) {
      return Optional.of(fst);
    }
    builder.start(number(List.of(new Element(fst.start(), 0))));
    for (int s = 0; s < subsets.size(); s++) {
      if (subsets.size() > most) {
        return Optional.empty();
      }
      expand(s, subsets.get(s));
    }
    return Optional.of(builder.build());
  }

  private int number(List<Element> subset) {
    return numbers.computeIfAbsent(
        subset,
        added -> {
          subsets.add(added);
          return subsets.size() - 1;
        });
  }

  private void expand(int source, List<Element> subset) {
    var byLabel = new TreeMap<Integer, TreeMap<Integer, Float>>();
    float end = Float.POSITIVE_INFINITY;
    for (Element each : subset) {
      end = Math.min(end, each.cost + fst.finalCost(each.state));
      for (int k = fst.firstArc(each.state); k < fst.firstArc(each.state + 1); k++) {
        byLabel
            .computeIfAbsent(fst.input(k), _ -> new TreeMap<>())
            .merge(fst.target(k), each.cost + fst.cost(k), Math::min);
      }
    }
    byLabel.forEach((label, targets) -> {
      float least = targets.values().stream().min(Float::compare).orElseThrow();
      var next = new ArrayList<Element>();
      targets.forEach(
          (state, cost) -> next.add(new Element(state, quantized(cost - least, QUANTUM))));
      builder.arc(source, label, label, least, number(List.copyOf(next)));
    });
    if (end != Float.POSITIVE_INFINITY) {
      builder.finalCost(source, end);
    }
  }
}
