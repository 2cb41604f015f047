package ristretto.testkit;

import java.util.ArrayList;
import java.util.List;
import ristretto.expr.Context;
import ristretto.kernels.KernelException;

/** Runs checks on one device and keeps what came of them. */
final class CheckRun {
  private final Context ctx;
  private final Runnable progress;
  private final List<String> failures = new ArrayList<>();
  private int passed;
  private Worst worst = Worst.NONE;

  /**
   * @param progress run after each check
   */
  CheckRun(Context ctx, Runnable progress) {
    this.ctx = ctx;
    this.progress = progress;
  }

  /** How many checks passed. */
  int passed() {
    return passed;
  }

  /** How many checks concern the device: those in F64 only devices that compute in it. */
  int concerned() {
    return passed + failures.size();
  }

  /** The largest error in ulp. */
  Worst worst() {
    return worst;
  }

  /** One text each: the check's name, then inputs, result and expectation. */
  List<String> failures() {
    return failures;
  }

  CheckRun all(List<Check> checks) {
    checks.forEach(this::one);
    return this;
  }

  private void one(Check check) {
    try {
      worst = worst.or(check.body().run(ctx));
      passed += check.count();
    } catch (RuntimeException | AssertionError e) {
      if (!check.wide() || !lacksF64(e)) {
        failed(check, e);
      }
    }
    for (int k = 0; k < check.count(); k++) {
      progress.run();
    }
  }

  /** Tries the parts one by one; if none fails by itself, they do together. */
  private void failed(Check check, Throwable e) {
    int before = failures.size();
    var alone = new CheckRun(ctx, () -> {}).all(check.parts());
    passed += alone.passed;
    failures.addAll(alone.failures);
    worst = worst.or(alone.worst);
    if (failures.size() == before) {
      failures.add(check.name() + "\n" + text(e));
    }
  }

  private static boolean lacksF64(Throwable e) {
    return e instanceof KernelException
        && e.getMessage().contains("f64 needs a device that computes in it");
  }

  private static String text(Throwable e) {
    return e instanceof AssertionError && e.getMessage() != null ? e.getMessage() : e.toString();
  }
}
