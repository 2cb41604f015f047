package ristretto.jmh.start;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Program;
import ristretto.expr.type.F32;
import ristretto.jmh.engine.TenNodes;
import ristretto.jmh.report.Fact;
import ristretto.jmh.report.LaunchTargets;
import ristretto.jmh.twin.TenNodesTwin;

/**
 * Overhead and garbage of launching a ten-node expression over a thousand elements, in a warm
 * process.
 */
public final class Launches {
  private static final int ELEMENTS = 1000;
  private static final int ROUNDS = 40;
  private static final int CALLS = 5_000;
  private static final long WARM_NANOS = 3_000_000_000L;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private Launches() {}

  /** Name of the facts for {@code --only}. */
  public static final String NAME = "launch";

  public static List<Fact> measure() {
    try (Context context = Context.open("cpu");
        Arena arena = Arena.ofConfined()) {
      var ten = new TenNodes(context, ELEMENTS);
      var twin = new TenNodesTwin(arena, ELEMENTS);
      Expr<F32> prebuilt = ten.build();
      Program program = context.record(() -> ten.assign(prebuilt));
      Runnable bare = twin::run;
      Runnable fresh = () -> ten.assign(ten.build());
      Runnable cached = () -> ten.assign(prebuilt);
      Runnable recorded = program::run;
      List<Runnable> all = List.of(bare, fresh, cached, recorded);
      all.forEach(Launches::warm);
      double[] least = least(all);
      var facts = new ArrayList<Fact>();
      facts.add(
          new Fact("launch-bare", "bare loop of 10 operations over 1e3", least[0], "us", none()));
      facts.add(
          over(
              "launch-built",
              "over it: expression built, then assigned",
              least,
              1,
              LaunchTargets.CACHED_MICROS));
      facts.add(
          over(
              "launch-prebuilt",
              "over it: expression built before",
              least,
              2,
              LaunchTargets.CACHED_MICROS));
      facts.add(
          over(
              "launch-recorded",
              "over it: recorded program",
              least,
              3,
              LaunchTargets.RECORDED_MICROS));
      facts.add(
          new Fact("garbage-built", "allocated by one call, built", garbage(fresh), "B", none()));
      facts.add(
          new Fact(
              "garbage-prebuilt", "allocated by one call, built before", garbage(cached), "B", 0));
      facts.add(
          new Fact(
              "garbage-recorded", "allocated by one call, recorded", garbage(recorded), "B", 0));
      return facts;
    }
  }

  private static java.util.Optional<Double> none() {
    return java.util.Optional.empty();
  }

  private static Fact over(String name, String what, double[] least, int k, double target) {
    return new Fact(name, what, least[k] - least[0], "us", target);
  }

  private static void warm(Runnable work) {
    long start = System.nanoTime();
    while (System.nanoTime() - start < WARM_NANOS / 4) {
      for (int k = 0; k < 100; k++) {
        work.run();
      }
    }
  }

  /** Minimum time of a call in microseconds; the candidates run in turns. */
  private static double[] least(List<Runnable> all) {
    double[] least = new double[all.size()];
    java.util.Arrays.fill(least, Double.MAX_VALUE);
    for (int round = 0; round < ROUNDS; round++) {
      for (int k = 0; k < least.length; k++) {
        Runnable work = all.get(k);
        long start = System.nanoTime();
        for (int call = 0; call < CALLS; call++) {
          work.run();
        }
        least[k] = Math.min(least[k], (System.nanoTime() - start) / 1e3 / CALLS);
      }
    }
    return least;
  }

  /** Bytes per call that this thread allocates, rounded down. */
  static double garbage(Runnable work) {
    long fewest = Long.MAX_VALUE;
    for (int round = 0; round < 3; round++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int call = 0; call < CALLS; call++) {
        work.run();
      }
      fewest = Math.min(fewest, THREADS.getCurrentThreadAllocatedBytes() - before);
    }
    return Math.floorDiv(fewest, CALLS);
  }
}
