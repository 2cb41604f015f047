package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.kernels.KernelException;

class ShortFormTest {
  @Test
  void theDevicePasses() {
    try (Context ctx = TestDevice.open()) {
      CheckRun run = CheckRun.of(ctx, ShortForm.checks(), () -> {});
      assertThat(run.failures()).isEmpty();
      assertThat(run.passed()).isEqualTo(run.of()).isGreaterThan(100);
      assertThat(run.worst().ulps()).isBetween(0.5, Tolerance.LOOSE_FUNCTION.ulps());
    }
  }

  /** Checks that throw are failures; those in F64 are none of a device without it. */
  @Test
  void failuresAreTold() {
    var none =
        new KernelException(
            "[map] f64 needs a device that computes in it; this one does not; use f32");
    List<Check> checks =
        List.of(
            new Check("good", false, _ -> new Worst(1.5, "exp")),
            new Check("better", false, _ -> new Worst(0.5, "sin")),
            Check.of("wrong", _ -> Check.require(false, "of 1", 2, 3)),
            Check.of(
                "broken",
                _ -> {
                  throw new IllegalStateException("on purpose");
                }),
            new Check(
                "wide",
                true,
                _ -> {
                  throw none;
                }),
            Check.of(
                "not wide",
                _ -> {
                  throw none;
                }));
    var progress = new int[1];
    CheckRun run = CheckRun.of(null, checks, () -> progress[0]++);
    assertThat(progress[0]).isEqualTo(6);
    assertThat(run)
        .isEqualTo(
            new CheckRun(
                2,
                5,
                new Worst(1.5, "exp"),
                List.of(
                    "wrong\nof 1\ngot: 2\nexpected: 3",
                    "broken\njava.lang.IllegalStateException: on purpose",
                    "not wide\n" + none)));
  }

  @Test
  void tableAlignsItsColumns() {
    var run = new CheckRun(9, 10, new Worst(1.249, "exp of f32"), List.of("x"));
    assertThat(
            CheckTable.of(
                List.of(
                    CheckTable.row("cpu:0", run, new Measures(12.345, 9.999, 1234.5, 0.7249)),
                    List.of("opencl:0", "none: lost"))))
        .isEqualTo(
            """
            device    passed      worst error            copy GB/s  fused chain GB/s  GEMM GFLOP/s  launch µs
            cpu:0     9 of 10     1.25 ulp (exp of f32)  12.3       10.0              1235          0.72
            opencl:0  none: lost
            """);
  }
}
