package ristretto.nnet3.fst;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Comparison of acceptors up to the numbers of states and the order of arcs. Arcs of a state with
 * equal labels must differ in their costs.
 */
public final class Isomorphism {
  private Isomorphism() {}

  /** Fails unless both have the same arcs, with costs equal within a tolerance. */
  public static void check(Fst got, Fst wanted, float tolerance) {
    assertThat(got.states()).isEqualTo(wanted.states());
    assertThat(got.arcs()).isEqualTo(wanted.arcs());
    var partner = new int[got.states()];
    Arrays.fill(partner, -1);
    var order = new ArrayList<Integer>();
    partner[got.start()] = wanted.start();
    order.add(got.start());
    for (int n = 0; n < order.size(); n++) {
      int s = order.get(n);
      int other = partner[s];
      assertThat(got.isFinal(s)).isEqualTo(wanted.isFinal(other));
      if (got.isFinal(s)) {
        assertThat(got.finalCost(s)).isCloseTo(wanted.finalCost(other), offset(tolerance));
      }
      List<Integer> arcs = sorted(got, s);
      List<Integer> others = sorted(wanted, other);
      assertThat(arcs).hasSameSizeAs(others);
      for (int k = 0; k < arcs.size(); k++) {
        int arc = arcs.get(k);
        int match = others.get(k);
        assertThat(got.input(arc)).isEqualTo(wanted.input(match));
        assertThat(got.cost(arc)).isCloseTo(wanted.cost(match), offset(tolerance));
        int to = got.target(arc);
        if (partner[to] < 0) {
          partner[to] = wanted.target(match);
          order.add(to);
        }
        assertThat(partner[to]).isEqualTo(wanted.target(match));
      }
    }
    assertThat(order).hasSize(got.states());
  }

  private static List<Integer> sorted(Fst fst, int s) {
    var arcs = new ArrayList<Integer>();
    for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
      arcs.add(k);
    }
    arcs.sort(Comparator.<Integer>comparingInt(fst::input).thenComparing(fst::cost));
    return arcs;
  }
}
