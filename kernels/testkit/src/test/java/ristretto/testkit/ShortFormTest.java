package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.kernels.KernelException;

class ShortFormTest {
  private static Check fails(String name, boolean wide, RuntimeException e) {
    return Check.of(
        name,
        wide,
        _ -> {
          throw e;
        });
  }

  private static Check passes(String name, double ulps) {
    return Check.of(name, false, _ -> new Worst(ulps, name));
  }

  @Test
  void theDevicePasses() {
    try (Context ctx = TestDevice.open()) {
      var progress = new int[1];
      List<Check> checks = ShortForm.checks();
      CheckRun run = new CheckRun(ctx, () -> progress[0]++).all(checks);
      assertThat(run.failures()).isEmpty();
      assertThat(run.passed())
          .isEqualTo(run.concerned())
          .isEqualTo(progress[0])
          .isEqualTo(checks.stream().mapToInt(Check::count).sum())
          .isGreaterThan(400);
      assertThat(run.worst().ulps()).isBetween(0.5, Tolerance.LOOSE_FUNCTION.ulps());
    }
  }

  @Test
  void failuresAreToldAndCounted() {
    CheckRun run =
        new CheckRun(null, () -> {})
            .all(
                List.of(
                    passes("exp", 1.5),
                    passes("sin", 0.5),
                    Check.of("wrong", _ -> Check.require(false, "of 1", 2, 3)),
                    fails("broken", false, new IllegalStateException("on purpose"))));
    assertThat(run.passed()).isEqualTo(2);
    assertThat(run.concerned()).isEqualTo(4);
    assertThat(run.worst()).isEqualTo(new Worst(1.5, "exp"));
    assertThat(run.failures())
        .containsExactly(
            "wrong\nof 1\ngot: 2\nexpected: 3",
            "broken\njava.lang.IllegalStateException: on purpose");
  }

  /** What needs F64 is no failure of a device without it; what does not, is. */
  @Test
  void devicesWithoutF64() {
    var none = new KernelException("[map] f64 needs a device that computes in it; use f32");
    CheckRun run =
        new CheckRun(null, () -> {})
            .all(List.of(fails("wide", true, none), fails("not wide", false, none)));
    assertThat(run.concerned()).isEqualTo(1);
    assertThat(run.failures()).containsExactly("not wide\n" + none);
  }

  /** What fails among others is tried by itself. */
  @Test
  void partsThatFailTogether() {
    var e = new IllegalStateException("on purpose");
    List<Check> parts = List.of(passes("one", 1), fails("two", false, e), passes("three", 2));
    CheckRun run = new CheckRun(null, () -> {});
    run.all(List.of(new Check("all", false, fails("", false, e).body(), parts)));
    assertThat(run.passed()).isEqualTo(2);
    assertThat(run.failures()).containsExactly("two\n" + e);
    assertThat(run.worst().ulps()).isEqualTo(2);

    List<Check> good = List.of(passes("one", 0), passes("three", 0));
    CheckRun together = new CheckRun(null, () -> {});
    together.all(List.of(new Check("all", false, fails("", false, e).body(), good)));
    assertThat(together.passed()).isEqualTo(2);
    assertThat(together.failures()).containsExactly("all\n" + e);
  }

  @Test
  void tableAlignsItsColumns() {
    CheckRun run =
        new CheckRun(null, () -> {})
            .all(
                List.of(passes("exp of f32", 1.249), fails("x", false, new ArithmeticException())));
    assertThat(
            CheckTable.of(
                List.of(
                    CheckTable.row("cpu:0", run, new Measures(12.345, 9.999, 1234.5, 0.7249)),
                    List.of("opencl:0", "none: lost"))))
        .isEqualTo(
            """
            device    passed      worst error            copy GB/s  fused chain GB/s  GEMM GFLOP/s  launch µs
            cpu:0     1 of 2      1.25 ulp (exp of f32)  12.3       10.0              1235          0.72
            opencl:0  none: lost
            """);
  }
}
