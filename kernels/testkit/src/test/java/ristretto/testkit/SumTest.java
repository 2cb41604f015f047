package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.*;

import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;

/** Accuracy of sums of F32, as the javadoc of the operations and docs/devices.md promise it. */
class SumTest {
  private static final Context DEVICE = TestDevice.open();

  @AfterAll
  static void close() {
    DEVICE.close();
  }

  static Stream<Check> checks() {
    return Stream.concat(SumChecks.checks().stream(), ScatterChecks.checks().stream());
  }

  @ParameterizedTest
  @MethodSource("checks")
  void agreesWithDoubles(Check check) {
    check.body().run(DEVICE);
  }

  @Test
  void meanOfTenMillionTenths() {
    assertThat(DEVICE.eval(mean(DEVICE.full(F32, 0.1, 10_000_000))).item()).isEqualTo(0.1f);
    assertThat(DEVICE.eval(mean(fill(F32, 0.1, 10_000_000))).item()).isEqualTo(0.1f);
  }

  /** An operand that is computed in the kernel, and the same values read from memory. */
  @Test
  void momentsOfNoiseOnALargeOffset() {
    Expr<F32> x = uniform(F32, 1, 1_000_000).plus(10_000);
    Tensor<F32> stored = DEVICE.eval(x);
    double sum = 0;
    for (float v : stored.toFloatArray()) {
      sum += v;
    }
    double mean = sum / 1e6;
    double squares = 0;
    for (float v : stored.toFloatArray()) {
      squares += (v - mean) * (v - mean);
    }
    double variance = squares / 1e6;
    assertThat(DEVICE.eval(mean(x)).item()).isCloseTo(mean, within(1.3e-7 * mean));
    assertThat(DEVICE.eval(mean(stored)).item()).isCloseTo(mean, within(1.3e-7 * mean));
    assertThat(DEVICE.eval(var(x)).item()).isCloseTo(variance, within(1e-6 * variance));
    assertThat(DEVICE.eval(var(stored)).item()).isCloseTo(variance, within(1e-6 * variance));
  }

  /** The slope of a variance is 2 (x - mean) / n, without what rounding takes from the mean. */
  @Test
  void gradientOfAVarianceAtALargeOffset() {
    int n = 1000;
    Tensor<F32> x = DEVICE.eval(normal(F32, 3, n).plus(1e6));
    float[] values = x.toFloatArray();
    double mean = 0;
    for (float v : values) {
      mean += (double) v / n;
    }
    float[] slopes = DEVICE.eval(gradient(var(x), x)).toFloatArray();
    for (int i = 0; i < n; i++) {
      assertThat((double) slopes[i]).isCloseTo(2 * (values[i] - mean) / n, within(1e-9));
    }
  }
}
