package ristretto.testkit;

import java.util.ArrayList;
import java.util.List;
import ristretto.expr.Context;
import ristretto.kernels.KernelException;

/**
 * What came of the checks on one device.
 *
 * @param passed how many
 * @param of how many that concern it
 * @param worst largest error in ulp
 * @param failures one text each: the check's name, then inputs, result and expectation
 */
record CheckRun(int passed, int of, Worst worst, List<String> failures) {

  /**
   * @param progress run after each check
   */
  static CheckRun of(Context ctx, List<Check> checks, Runnable progress) {
    int passed = 0;
    int concerned = 0;
    Worst worst = Worst.NONE;
    var failures = new ArrayList<String>();
    for (Check check : checks) {
      try {
        worst = worst.or(check.body().run(ctx));
        passed++;
        concerned++;
      } catch (RuntimeException | AssertionError e) {
        if (!check.wide() || !lacksF64(e)) {
          concerned++;
          failures.add(check.name() + "\n" + text(e));
        }
      }
      progress.run();
    }
    return new CheckRun(passed, concerned, worst, failures);
  }

  private static boolean lacksF64(Throwable e) {
    return e instanceof KernelException
        && e.getMessage().contains("f64 needs a device that computes in it");
  }

  private static String text(Throwable e) {
    return e instanceof AssertionError && e.getMessage() != null ? e.getMessage() : e.toString();
  }
}
