package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.ArrayList;
import java.util.List;
import org.apache.commons.math3.stat.correlation.PearsonsCorrelation;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Seed;
import ristretto.expr.Tensor;
import ristretto.expr.type.F64;
import ristretto.expr.type.I64;

/** Keys of random numbers, and numbers that later versions must draw too. */
class SeedTest {
  private static final int N = 20_011;

  @Test
  void drawsOfDifferentDistributionsAndKeysAreNotCorrelated() {
    try (Context ctx = TestDevice.open()) {
      Seed seed = Seed.of(1);
      List<Expr<F64>> draws = new ArrayList<>();
      draws.add(uniform(F64, 1, N));
      draws.add(normal(F64, 1, N));
      draws.add(randomIntegers(I64, 1, 0, 1 << 30, N).cast(F64));
      seed.split(3).forEach(part -> draws.add(uniform(F64, part, N)));
      for (long k = -1; k < 3; k++) {
        draws.add(uniform(F64, seed.fold(k), N));
        draws.add(normal(F64, seed.fold(k), N));
      }
      draws.add(uniform(F64, seed.fold(1).fold(2), N));
      draws.add(uniform(F64, seed.fold(2).fold(1), N));
      List<double[]> values = new ArrayList<>();
      for (Expr<F64> draw : draws) {
        values.add(ctx.eval(draw).toDoubleArray());
        values.add(ctx.eval(abs(draw)).toDoubleArray());
      }
      double limit = 5 / Math.sqrt(N);
      for (int a = 0; a < values.size(); a++) {
        for (int b = 0; b < a; b++) {
          if (a / 2 != b / 2) {
            assertThat(
                    Math.abs(new PearsonsCorrelation().correlation(values.get(a), values.get(b))))
                .as("%d and %d", a, b)
                .isLessThan(limit);
          }
        }
      }
    }
  }

  @Test
  void keysOfTensorsAreThoseOfNumbers() {
    for (String device : TestDevice.all()) {
      try (Context ctx = Context.open(device)) {
        for (long n : new long[] {0, 42, -7, Long.MIN_VALUE}) {
          Tensor<I64> tensor = ctx.tensor(new long[] {n}, 1);
          assertThat(number(ctx, Seed.of(tensor))).isEqualTo(n);
          assertThat(number(ctx, Seed.of(tensor).fold(5))).isEqualTo(Seed.of(n).fold(5).number());
          assertThat(number(ctx, Seed.of(3).fold(tensor))).isEqualTo(Seed.of(3).fold(n).number());
          for (int k = 0; k < 3; k++) {
            assertThat(number(ctx, Seed.of(tensor).split(3).get(k)))
                .isEqualTo(Seed.of(n).split(3).get(k).number());
          }
        }
      }
    }
  }

  private static long number(Context ctx, Seed seed) {
    return ctx.eval(seed.value().plus(0)).toLongArray()[0];
  }

  /** Golden values of documented streams, which never change. */
  @Test
  void documentedStreamsAreStable() {
    for (String device : TestDevice.all()) {
      try (Context ctx = Context.open(device)) {
        assertThat(ctx.eval(uniform(F32, 42, 4)).toFloatArray())
            .containsExactly(
                0.6129598617553711f, 0.9877186417579651f, 0.8258668184280396f, 0.7295992374420166f);
        assertThat(ctx.eval(uniform(F64, 42, 3)).toDoubleArray())
            .containsExactly(0.6129598811894158, 0.9877186509145105, 0.8258668271960493);
        assertThat(ctx.eval(uniform(I32, 42, 3)).toIntArray())
            .containsExactly(-1662324653, -52747993, -747896283);
        assertThat(ctx.eval(randomIntegers(I32, 42, 0, 1000, 6)).toIntArray())
            .containsExactly(398, 562, 729, 51, 70, 612);
        double[] normal = ctx.eval(normal(F64, 42, 3)).toDoubleArray();
        double[] expected = {0.3410315357706154, 1.5944727689340674, -1.6351473840474895};
        for (int k = 0; k < 3; k++) {
          assertThat(normal[k]).isCloseTo(expected[k], org.assertj.core.data.Offset.offset(1e-14));
        }
        assertThat(Seed.of(42).fold(7).number()).isEqualTo(2820384354626331986L);
        assertThat(Seed.of(42).split(2).stream().map(Seed::number))
            .containsExactly(-4808161007672687233L, 9034345343107874802L);
      }
    }
  }
}
