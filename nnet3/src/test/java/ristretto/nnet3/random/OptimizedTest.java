package ristretto.nnet3.random;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.option.Optimization;
import ristretto.nnet3.LoweringOptions;
import ristretto.nnet3.Rematerialization;

/** Optimizations change no results of random networks: left out one at a time, and all. */
class OptimizedTest {
  private static final double ROUNDING = 1e-4;
  private static final boolean NIGHTLY = Integer.getInteger("ristretto.nnet3.seeds", 0) > 0;

  /** Optimizations and lowering options that are switched off. */
  private record Without(Set<Optimization> ofPrograms, LoweringOptions lowering) {
    static List<Without> one() {
      var all = new ArrayList<Without>();
      for (Optimization each : Optimization.values()) {
        all.add(new Without(EnumSet.of(each), LoweringOptions.DEFAULT));
      }
      all.add(
          new Without(
              Set.of(),
              new LoweringOptions(
                  Rematerialization.CHEAP, false, true, true, LoweringOptions.AUTOMATIC)));
      all.add(
          new Without(
              Set.of(),
              new LoweringOptions(
                  Rematerialization.CHEAP, true, false, true, LoweringOptions.AUTOMATIC)));
      all.add(
          new Without(
              Set.of(),
              new LoweringOptions(
                  Rematerialization.CHEAP, true, true, false, LoweringOptions.AUTOMATIC)));
      all.add(
          new Without(Set.of(), new LoweringOptions(Rematerialization.CHEAP, true, true, true, 2)));
      return all;
    }

    static Without all() {
      return new Without(
          EnumSet.allOf(Optimization.class),
          new LoweringOptions(Rematerialization.NOTHING, false, false, false, 0));
    }
  }

  @Test
  void resultsAreTheSame() {
    List<Without> each = Without.one();
    try (Context context = Context.open("cpu")) {
      Seeds.each(
          38,
          seed -> {
            RandomNet net = RandomNet.of(seed);
            Outcome optimized = Outcome.of(net, context);
            Without turn = each.get((int) Math.floorMod(seed, (long) each.size()));
            for (Without one : NIGHTLY ? each : List.of(turn)) {
              check(net, context, optimized, one);
            }
            check(net, context, optimized, Without.all());
          },
          // where one step alone is flat or steep enough, but not all of them
          2060,
          2079,
          2345,
          // a derivative that nothing reads takes the place of what it is made of
          2311);
    }
  }

  private static void check(RandomNet net, Context context, Outcome want, Without without) {
    Outcome got = Outcome.of(net, context, without.ofPrograms, without.lowering);
    assertThat(got.differences(want, ROUNDING)).as("%s: %s", without, net.description()).isEmpty();
  }

  /**
   * All steps decide which cells of a GRU are repaired, also if each step is computed by itself.
   */
  @Test
  void consolidationDoesNotChangeRepairs() {
    var steps =
        new LoweringOptions(Rematerialization.CHEAP, false, true, true, LoweringOptions.AUTOMATIC);
    try (Context context = Context.open("cpu")) {
      for (long seed = 0; seed < 6; seed++) {
        RandomNet net =
            RandomNet.of(RandomTopology.GRU, seed)
                .withAllDerivatives()
                .withConfig(config ->
                    config.replaceAll(
                        "type=\\w*GruNonlinearityComponent",
                        "$0 self-repair-scale=0.1 self-repair-threshold=0.85"));
        Outcome together = Outcome.of(net, context);
        Outcome each = Outcome.of(net, context, Set.of(), steps);
        assertThat(each.differences(together, ROUNDING)).as(net.description()).isEmpty();
      }
    }
  }

  @Test
  void whatIsComputedAgainIsTheSame() {
    try (Context context = Context.open("cpu")) {
      Seeds.each(
          38,
          seed -> {
            RandomNet net = RandomNet.of(seed + 100).withAllDerivatives();
            Outcome stored = Outcome.of(net, context, Set.of(), Without.all().lowering);
            for (Rematerialization each : Rematerialization.values()) {
              Outcome again =
                  Outcome.of(
                      net, context, Set.of(), new LoweringOptions(each, false, false, false, 0));
              assertThat(again.differences(stored, 0)).as(net.description()).isEmpty();
            }
          },
          336,
          1419,
          2748);
    }
  }
}
