package ristretto.nnet3.train;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FisherFactorTest {
  /** Sums in which large parts cancel have other last bits with their parts in another order. */
  @Test
  void partsThatCancelLeaveAProblemThatIsSymmetric() {
    var random = new Random(1);
    int rank = 80;
    int rows = 832;
    double[] d = new double[rank];
    for (int i = 0; i < rank; i++) {
      d[i] = 1e-4 * Math.pow(0.9, i);
    }
    var factor = new FisherFactor(NaturalGradient.Options.of(rank, 1), 256, 5e-6, d);
    double[] e = factor.e();
    double eta = factor.options().eta(rows);
    double share = eta / rows;
    double[][] l = new double[rank][rank];
    double[][] k = new double[rank][rank];
    for (int i = 0; i < rank; i++) {
      for (int j = 0; j <= i; j++) {
        l[i][j] = random.nextGaussian();
        l[j][i] = l[i][j];
        double cross = l[i][j] * (1 - eta) * (d[i] + d[j] + 2 * factor.rho());
        k[i][j] = i == j ? 1e-6 : 1e-11 * random.nextGaussian() - cross / share;
        k[j][i] = k[i][j];
      }
    }
    double[][] z = factor.problem(rows, l, k);
    for (int i = 0; i < rank; i++) {
      for (int j = 0; j < i; j++) {
        assertThat(z[i][j]).isEqualTo(z[j][i]);
      }
    }
    double[] next = factor.next(rows, l, k, 2).factor().d();
    assertThat(Arrays.stream(next)).hasSize(rank).allMatch(x -> x > 0);
  }
}
