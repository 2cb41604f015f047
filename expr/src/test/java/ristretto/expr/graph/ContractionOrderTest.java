package ristretto.expr.graph;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import ristretto.expr.graph.ContractionOrder.Pair;

class ContractionOrderTest {
  @Test
  void theSmallProductComesFirst() {
    // ij,jk,kl->il
    long[] letters = {0b0011, 0b0110, 0b1100};
    double[] tall = {1000, 2, 1000, 2};
    assertThat(new ContractionOrder(letters, 0b1001, tall).best())
        .containsExactly(new Pair(1, 2), new Pair(0, 3));
    double[] wide = {2, 1000, 2, 1000};
    assertThat(new ContractionOrder(letters, 0b1001, wide).best())
        .containsExactly(new Pair(0, 1), new Pair(3, 2));
  }

  @Test
  void equalCostsKeepTheOrder() {
    for (int n = 1; n < 10; n++) {
      long[] letters = new long[n];
      java.util.Arrays.fill(letters, 1);
      assertThat(new ContractionOrder(letters, 1, new double[] {7}).best())
          .isEqualTo(ContractionOrder.leftToRight(n));
    }
  }

  /** All orders of a few operands, by trying each pair at each step. */
  @Test
  void isTheCheapest() {
    var random = new Random(7);
    for (int round = 0; round < 200; round++) {
      int n = 3 + random.nextInt(3);
      long[] letters = random.longs(n, 1, 1 << 6).toArray();
      double[] extents = random.doubles(6, 1, 50).map(Math::rint).toArray();
      long output = random.nextLong(1 << 6);
      var order = new ContractionOrder(letters, output, extents).best();
      List<Long> all = new ArrayList<>();
      for (long l : letters) {
        all.add(l);
      }
      double cost = 0;
      for (Pair p : order) {
        long a = all.set(p.left(), 0L);
        long b = all.set(p.right(), 0L);
        cost += cost(a, b, all, output, extents);
        all.add(product(a, b, all, output));
      }
      List<Long> operands = new ArrayList<>();
      for (long l : letters) {
        operands.add(l);
      }
      assertThat(cost).isCloseTo(cheapest(operands, output, extents), within(1e-9));
    }
  }

  private static org.assertj.core.data.Percentage within(double percent) {
    return org.assertj.core.data.Percentage.withPercentage(percent);
  }

  private static double cheapest(List<Long> operands, long output, double[] extents) {
    if (operands.size() == 1) {
      return 0;
    }
    double best = Double.POSITIVE_INFINITY;
    for (int i = 0; i < operands.size(); i++) {
      for (int j = i + 1; j < operands.size(); j++) {
        var rest = new ArrayList<>(operands);
        long b = rest.remove(j);
        long a = rest.remove(i);
        double cost = cost(a, b, rest, output, extents);
        rest.add(product(a, b, rest, output));
        best = Math.min(best, cost + cheapest(rest, output, extents));
      }
    }
    return best;
  }

  private static long open(long a, List<Long> rest, long output) {
    long outside = output;
    for (long r : rest) {
      outside |= r;
    }
    return a & outside;
  }

  private static long product(long a, long b, List<Long> rest, long output) {
    return open(a | b, rest, output);
  }

  private static double cost(long a, long b, List<Long> rest, long output, double[] extents) {
    long used = open(a, rest, output | b) | open(b, rest, output | a);
    double size = 1;
    for (int k = 0; k < extents.length; k++) {
      size *= (used >> k & 1) != 0 ? extents[k] : 1;
    }
    return size;
  }
}
