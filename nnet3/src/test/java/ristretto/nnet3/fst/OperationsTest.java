package ristretto.nnet3.fst;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import ristretto.kernels.FileFormatException;

/** Operations on random transducers, beside the costs of all short strings by brute force. */
class OperationsTest {
  private static final int LONGEST = 4;
  private static final int LABELS = 3;
  private static final int CASES = 300;

  private static Fst random(Random random, boolean acceptor, boolean epsilons, boolean cycles) {
    var builder = new FstBuilder();
    int states = 1 + random.nextInt(6);
    builder.state(states - 1);
    builder.start(random.nextInt(cycles ? states : 1));
    for (int k = random.nextInt(3 * states + 1); k > 0; k--) {
      int from = random.nextInt(states);
      int to = random.nextInt(states);
      if (!cycles && to <= from) {
        continue;
      }
      int least = epsilons ? 0 : 1;
      int input = least + random.nextInt(LABELS - least);
      int output = acceptor ? input : least + random.nextInt(LABELS - least);
      builder.arc(from, input, output, random.nextInt(5) / 4f, to);
    }
    for (int s = 0; s < states; s++) {
      if (random.nextInt(3) == 0) {
        builder.finalCost(s, random.nextInt(5) / 4f);
      }
    }
    return builder.build();
  }

  /** Pair of strings. */
  private record Pair(String input, String output) {}

  /** Least cost of each pair of strings of at most {@link #LONGEST} labels. */
  private static Map<Pair, Float> costs(Fst fst) {
    Map<Pair, float[]> reached = new HashMap<>();
    if (fst.start() < 0) {
      return Map.of();
    }
    float[] begin = new float[fst.states()];
    Arrays.fill(begin, Float.POSITIVE_INFINITY);
    begin[fst.start()] = 0;
    reached.put(new Pair("", ""), begin);
    for (boolean changed = true; changed; ) {
      changed = false;
      for (Pair pair : reached.keySet().toArray(Pair[]::new)) {
        for (int s = 0; s < fst.states(); s++) {
          float cost = reached.get(pair)[s];
          for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
            var next = new Pair(with(pair.input, fst.input(k)), with(pair.output, fst.output(k)));
            if (Float.isInfinite(cost)
                || next.input.length() > LONGEST
                || next.output.length() > LONGEST) {
              continue;
            }
            float[] to =
                reached.computeIfAbsent(
                    next,
                    _ -> {
                      var all = new float[fst.states()];
                      Arrays.fill(all, Float.POSITIVE_INFINITY);
                      return all;
                    });
            if (cost + fst.cost(k) < to[fst.target(k)] - 1e-4f) {
              to[fst.target(k)] = cost + fst.cost(k);
              changed = true;
            }
          }
        }
      }
    }
    Map<Pair, Float> costs = new HashMap<>();
    reached.forEach((pair, states) -> {
      float least = Float.POSITIVE_INFINITY;
      for (int s = 0; s < states.length; s++) {
        least = Math.min(least, states[s] + fst.finalCost(s));
      }
      if (!Float.isInfinite(least)) {
        costs.put(pair, least);
      }
    });
    return costs;
  }

  private static String with(String text, int label) {
    return label == 0 ? text : text + label;
  }

  private static void same(Fst got, Fst wanted) {
    Map<Pair, Float> costs = costs(got);
    Map<Pair, Float> expected = costs(wanted);
    assertThat(costs.keySet()).isEqualTo(expected.keySet());
    expected.forEach((pair, cost) -> assertThat(costs.get(pair)).isCloseTo(cost, offset(2e-3f)));
  }

  @Test
  void epsilonsAreRemoved() {
    var random = new Random(1);
    for (int n = 0; n < CASES; n++) {
      Fst fst = random(random, n % 2 == 0, true, true);
      Fst without = RemoveEpsilons.apply(fst);
      for (int k = 0; k < without.arcs(); k++) {
        assertThat(without.input(k) + without.output(k)).isPositive();
      }
      same(without, fst);
    }
  }

  @Test
  void deterministicAcceptorsHaveOneArcForEachLabel() {
    var random = new Random(2);
    for (int n = 0; n < CASES; n++) {
      Fst fst = random(random, true, false, false);
      Fst deterministic = Determinize.apply(fst, 1000).orElseThrow();
      for (int s = 0; s < deterministic.states(); s++) {
        for (int k = deterministic.firstArc(s) + 1; k < deterministic.firstArc(s + 1); k++) {
          assertThat(deterministic.input(k)).isGreaterThan(deterministic.input(k - 1));
        }
      }
      same(deterministic, fst);
      Fst small = Minimize.apply(Trim.apply(deterministic));
      assertThat(small.states()).isLessThanOrEqualTo(Trim.apply(deterministic).states());
      same(small, fst);
      assertThat(Minimize.apply(small).states()).isEqualTo(small.states());
    }
  }

  @Test
  void largeAcceptorsAreGivenUp() {
    // Determinized, the third label from the end must be remembered.
    var builder = new FstBuilder();
    builder.start(0);
    builder.arc(0, 1, 1, 0, 0);
    builder.arc(0, 2, 2, 0, 0);
    builder.arc(0, 1, 1, 0, 1);
    for (int s = 1; s < 10; s++) {
      builder.arc(s, 1, 1, 0, s + 1);
      builder.arc(s, 2, 2, 0, s + 1);
    }
    builder.finalCost(10, 0);
    assertThat(Determinize.apply(builder.build(), 100)).isEmpty();
    assertThat(Determinize.apply(builder.build(), 1024)).isPresent();
  }

  @Test
  void minimalAcceptorsHaveTheFewestStates() {
    // Both branches accept "1 2" or "2 2" with the same costs after the costs have moved.
    var builder = new FstBuilder();
    builder.start(0);
    builder.arc(0, 1, 1, 1, 1);
    builder.arc(0, 2, 2, 0, 2);
    builder.arc(1, 2, 2, 0, 3);
    builder.arc(2, 2, 2, 1, 4);
    builder.finalCost(3, 0.5f);
    builder.finalCost(4, 0.5f);
    Fst small = Minimize.apply(builder.build());
    assertThat(small.states()).isEqualTo(3);
    assertThat(small.arcs()).isEqualTo(3);
    same(small, builder.build());
  }

  @Test
  void pushingKeepsCosts() {
    var random = new Random(3);
    for (int n = 0; n < CASES; n++) {
      Fst fst = Trim.apply(random(random, n % 2 == 0, true, true));
      same(PushWeights.apply(fst), fst);
      Fst equal = EqualizeTotals.apply(fst, 1e-5);
      same(equal, fst);
      same(Minimize.withoutPush(fst, 1e-3f), fst);
      same(Reverse.apply(Reverse.apply(fst)), fst);
      same(SortArcs.byInput(fst), fst);
      same(Renumber.byArcs(fst), fst);
      same(Renumber.breadthFirst(fst), fst);
      if (fst.start() >= 0) {
        Fst without = PushWeights.apply(fst, true);
        assertThat(PushWeights.distancesToEnd(without)[without.start()]).isZero();
      }
    }
  }

  @Test
  void equalizedStatesHaveEqualTotals() {
    var builder = new FstBuilder();
    builder.start(0);
    builder.arc(0, 1, 1, 1, 1);
    builder.arc(0, 2, 2, 2, 0);
    builder.arc(1, 1, 1, 0.5f, 0);
    builder.arc(1, 2, 2, 3, 1);
    builder.finalCost(1, 1);
    Fst equal = EqualizeTotals.apply(builder.build(), 1e-6);
    double first = total(equal, 0);
    assertThat(total(equal, 1)).isCloseTo(first, offset(1e-5));
  }

  private static double total(Fst fst, int s) {
    double total = Math.exp(-fst.finalCost(s));
    for (int k = fst.firstArc(s); k < fst.firstArc(s + 1); k++) {
      total += Math.exp(-fst.cost(k));
    }
    return total;
  }

  @Test
  void compositionsAreRelationsInTurn() {
    var random = new Random(4);
    for (int n = 0; n < CASES; n++) {
      Fst first = random(random, false, true, false);
      Fst second = random(random, false, true, false);
      Map<Pair, Float> wanted = new HashMap<>();
      Map<Pair, Float> others = costs(second);
      costs(first)
          .forEach((one, cost) ->
              others.forEach((two, more) -> {
                if (one.output.equals(two.input)) {
                  wanted.merge(new Pair(one.input, two.output), cost + more, Math::min);
                }
              }));
      assertThat(costs(Compose.apply(first, second))).isEqualTo(wanted);
    }
  }

  @Test
  void compositionsHaveNoPathTwice() {
    // An output epsilon of the first and an input epsilon of the second.
    var first = new FstBuilder();
    first.start(0);
    first.arc(0, 1, 0, 0, 1);
    first.finalCost(1, 0);
    var second = new FstBuilder();
    second.start(0);
    second.arc(0, 0, 2, 0, 1);
    second.finalCost(1, 0);
    Fst composed = Compose.apply(first.build(), second.build());
    assertThat(composed.arcs()).isEqualTo(1);
    assertThat(composed.input(0)).isEqualTo(1);
    assertThat(composed.output(0)).isEqualTo(2);
  }

  @Test
  void trimmedTransducersHaveOnlyStatesOnPaths() {
    var random = new Random(5);
    for (int n = 0; n < CASES; n++) {
      Fst fst = random(random, false, true, true);
      Fst trimmed = Trim.apply(fst);
      same(trimmed, fst);
      assertThat(Trim.apply(trimmed)).isSameAs(trimmed);
    }
  }

  @Test
  void negativeCyclesOfEpsilonsAreRefused() {
    var builder = new FstBuilder();
    builder.start(0);
    builder.arc(0, 0, 0, -1, 1);
    builder.arc(1, 0, 0, 0.5f, 0);
    builder.finalCost(1, 0);
    assertThatThrownBy(() -> RemoveEpsilons.apply(builder.build()))
        .isInstanceOf(FileFormatException.class)
        .hasMessage(
            "[fst] no cycle of epsilon arcs may have a negative cost; got one through state 1;"
                + " correct the costs.");
  }
}
