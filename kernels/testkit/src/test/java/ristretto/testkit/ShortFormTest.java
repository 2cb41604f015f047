package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import ristretto.kernels.DeviceException;
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

  private static CheckRun run(Check... checks) {
    return CheckRun.of(TestDevice::open, List.of(checks), 1, () -> {});
  }

  @Test
  void theDevicePasses() {
    List<Check> checks = ShortForm.checks();
    var progress = new AtomicInteger();
    CheckRun run = CheckRun.of(TestDevice::open, checks, 2, progress::incrementAndGet);
    assertThat(run.failures()).isEmpty();
    assertThat(run.passed())
        .isEqualTo(run.concerned())
        .isEqualTo(progress.get())
        .isEqualTo(checks.stream().mapToInt(Check::count).sum())
        .isGreaterThan(400);
    assertThat(run.worst().ulps()).isBetween(0.5, Tolerance.LOOSE_FUNCTION.ulps());
  }

  @Test
  void failuresAreToldAndCounted() {
    CheckRun run =
        run(
            passes("exp", 1.5),
            passes("sin", 0.5),
            Check.of("wrong", _ -> Check.require(false, "of 1", 2, 3)),
            fails("broken", false, new IllegalStateException("on purpose")));
    assertThat(run.passed()).isEqualTo(2);
    assertThat(run.concerned()).isEqualTo(4);
    assertThat(run.worst()).isEqualTo(new Worst(1.5, "exp"));
    assertThat(run.failures())
        .containsExactly(
            "wrong\nof 1\ngot: 2\nexpected: 3",
            "broken\njava.lang.IllegalStateException: on purpose");
  }

  /** Skips F64 cases on devices without F64; every other failure counts. */
  @Test
  void devicesWithoutF64() {
    var none = new KernelException("[map] f64 needs a device that computes in it; use f32");
    CheckRun run = run(fails("wide", true, none), fails("not wide", false, none));
    assertThat(run.concerned()).isEqualTo(1);
    assertThat(run.failures()).containsExactly("not wide\n" + none);
  }

  /** Retries a failing case of a batch by itself. */
  @Test
  void partsThatFailTogether() {
    var e = new IllegalStateException("on purpose");
    Check.Body throwing = fails("", false, e).body();
    CheckRun one =
        run(
            new Check(
                "all",
                false,
                throwing,
                List.of(passes("one", 1), fails("two", false, e), passes("three", 2))));
    assertThat(one).isEqualTo(new CheckRun(2, new Worst(2, "three"), List.of("two\n" + e)));
    CheckRun together =
        run(new Check("all", false, throwing, List.of(passes("one", 0), passes("three", 0))));
    assertThat(together).isEqualTo(new CheckRun(2, Worst.NONE, List.of("all\n" + e)));
  }

  @Test
  void aDeviceThatCannotBeOpened() {
    assertThatThrownBy(() ->
            CheckRun.of(
                () -> {
                  throw new DeviceException("lost");
                },
                List.of(passes("exp", 1)),
                2,
                () -> {}))
        .isInstanceOf(DeviceException.class)
        .hasMessage("lost");
  }

  @Test
  void theReportAlignsItsColumns() {
    var report = new CheckReport();
    report.add(
        "cpu:0",
        new CheckRun(10, new Worst(1.249, "exp of f32"), List.of()),
        new Measures(12.345, 9.999, 1234.5, 0.7249));
    assertThat(report.passed()).isTrue();
    assertThat(report)
        .hasToString(
            """
            device  passed    worst error            copy GB/s  fused chain GB/s  GEMM GFLOP/s  launch us
            cpu:0   10 of 10  1.25 ulp (exp of f32)  12.3       10.0              1235          0.72
            """);
    report.add(
        "cuda:0",
        new CheckRun(9, Worst.NONE, List.of("sum\ngot: 2\nexpected: 3")),
        new Measures(1000, 999.4, 99.96, 5));
    report.add("opencl:0", new DeviceException("[opencl] the device was lost"));
    assertThat(report.passed()).isFalse();
    assertThat(report)
        .hasToString(
            """
            device    passed    worst error            copy GB/s  fused chain GB/s  GEMM GFLOP/s  launch us
            cpu:0     10 of 10  1.25 ulp (exp of f32)  12.3       10.0              1235          0.72
            cuda:0    9 of 10   none                   1000       999               100           5.00
            opencl:0  none

            Failed:

            cuda:0: sum
            got: 2
            expected: 3

            opencl:0: [opencl] the device was lost
            """);
  }
}
