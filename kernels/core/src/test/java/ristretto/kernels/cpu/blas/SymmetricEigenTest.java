package ristretto.kernels.cpu.blas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SymmetricEigenTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 80})
  void aMatrixTimesAnEigenvectorIsItsMultiple(int n) {
    var random = new Random(n);
    double[] a = new double[n * n];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j <= i; j++) {
        a[i * n + j] = a[j * n + i] = random.nextGaussian();
      }
    }
    SymmetricEigen eigen = SymmetricEigen.of(a, n).orElseThrow();
    assertThat(eigen.values()).isSorted();
    for (int k = 0; k < n; k++) {
      double length = 0;
      for (int i = 0; i < n; i++) {
        double product = 0;
        for (int j = 0; j < n; j++) {
          product += a[i * n + j] * eigen.vectors()[k * n + j];
        }
        double v = eigen.vectors()[k * n + i];
        assertThat(product).isCloseTo(eigen.values()[k] * v, within(1e-12 * n));
        length += v * v;
      }
      assertThat(length).isCloseTo(1, within(1e-12));
    }
  }

  @Test
  void numbersMustBeFinite() {
    assertThat(SymmetricEigen.of(new double[] {1, Double.NaN, Double.NaN, 1}, 2)).isEmpty();
  }
}
