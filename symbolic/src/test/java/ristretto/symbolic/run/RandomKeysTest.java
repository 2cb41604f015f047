package ristretto.symbolic.run;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.fill;
import static ristretto.expr.Ops.normal;
import static ristretto.expr.Ops.uniform;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.commons.math3.stat.correlation.PearsonsCorrelation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Seed;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;

/** Random numbers of models. */
class RandomKeysTest {
  private static final Context CTX = Context.open();
  private static final int N = 4000;

  /** Seed 1 had the key of seed 0's parameter of this number plus one. */
  private static final int MANY = 1_000_003;

  @AfterAll
  static void close() {
    CTX.close();
  }

  private static double[] doubles(Tensor<F32> values) {
    float[] all = values.toFloatArray();
    double[] doubles = new double[all.length];
    for (int k = 0; k < all.length; k++) {
      doubles[k] = all[k];
    }
    return doubles;
  }

  /** First values of two parameters each, and the masks of two dropouts in two steps. */
  private static List<double[]> draws(long seed) {
    Variable<F32> x = Variable.input("x", F32, N);
    Variable<F32> a = Variable.parameter("a", F32, Initializer.uniform(-1, 1), N);
    Variable<F32> b = Variable.parameter("b", F32, Initializer.normal(1), N);
    Variable<F32> first = Layers.dropout(x, 0.5);
    Variable<F32> second = Layers.dropout(x, 0.5);
    Variable<F32> loss = Layers.sum(first.plus(second).times(a).times(b));
    var executor = new Executor(CTX, seed, loss, first, second);
    var all = new ArrayList<>(List.of(doubles(executor.tensor(a)), doubles(executor.tensor(b))));
    executor.set(x, fill(F32, 1, N));
    for (int step = 0; step < 2; step++) {
      executor.backward(loss);
      all.add(doubles(executor.tensor(first)));
      all.add(doubles(executor.tensor(second)));
    }
    return all;
  }

  @Test
  void drawsOfModelsAreNotCorrelated() {
    List<double[]> all = new ArrayList<>();
    for (long seed = 0; seed < 3; seed++) {
      all.addAll(draws(seed));
      all.add(doubles(CTX.eval(uniform(F32, seed, N))));
      all.add(doubles(CTX.eval(normal(F32, seed, N))));
      for (int k = 0; k < 4; k++) {
        all.add(doubles(CTX.eval(uniform(F32, Seed.of(seed).fold(k), N))));
      }
    }
    double limit = 5 / Math.sqrt(N);
    for (int a = 0; a < all.size(); a++) {
      for (int b = 0; b < a; b++) {
        assertThat(Math.abs(new PearsonsCorrelation().correlation(all.get(a), all.get(b))))
            .as("%d and %d", a, b)
            .isLessThan(limit);
      }
    }
  }

  @Test
  void variablesOfNearbySeedsHaveTheirOwnKeys() {
    for (int k = 0; k < 100; k++) {
      assertThat(RandomKeys.variable(0, MANY + k)).isNotEqualTo(RandomKeys.variable(1, k));
      assertThat(RandomKeys.variable(0, k)).isNotEqualTo(RandomKeys.operator(0, k));
    }
  }

  /** Golden values: models of a seed begin alike in later versions. */
  @Test
  void firstValuesAndMasksAreStable() {
    assertThat(RandomKeys.variable(42, 0)).isEqualTo(-6891817105232988813L);
    assertThat(RandomKeys.operator(42, 0)).isEqualTo(3627739409539021131L);
    List<double[]> all = draws(42);
    assertThat(Arrays.copyOf(all.get(0), 3))
        .containsExactly(-0.16553878784179688, 0.7610068321228027, -0.9987403154373169);
    assertThat(Arrays.copyOf(all.get(2), 8)).containsExactly(2, 0, 2, 2, 2, 0, 0, 0);
  }
}
