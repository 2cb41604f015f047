package ristretto.nnet3.random;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Optimization;

/** Optimizations change no results of random networks: left out one at a time, and all. */
class OptimizedTest {
  private static final double ROUNDING = 1e-4;

  @Test
  void resultsAreTheSame() {
    boolean all = Integer.getInteger("ristretto.nnet3.seeds", 0) > 0;
    Optimization[] each = Optimization.values();
    try (Context context = Context.open("cpu")) {
      Seeds.each(
          38,
          seed -> {
            RandomNet net = RandomNet.of(seed);
            Outcome optimized = Outcome.of(net, context, Set.of());
            Optimization turn = each[(int) Math.floorMod(seed / 7, (long) each.length)];
            for (Optimization one : all ? each : new Optimization[] {turn}) {
              assertSame(net, optimized, Outcome.of(net, context, EnumSet.of(one)), one.toString());
            }
            Outcome none = Outcome.of(net, context, EnumSet.allOf(Optimization.class));
            assertSame(net, optimized, none, "all");
            assertThat(none.kernels()).isGreaterThanOrEqualTo(optimized.kernels());
            assertThat(none.bytes()).isGreaterThanOrEqualTo(optimized.bytes());
          });
    }
  }

  private static void assertSame(RandomNet net, Outcome want, Outcome got, String without) {
    assertThat(got.differences(want, ROUNDING))
        .as("without %s: %s", without, net.description())
        .isEmpty();
  }
}
