package ristretto.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import ristretto.expr.Context;
import ristretto.kernels.KernelException;
import ristretto.kernels.RistrettoException;

/**
 * Results of checks on one device.
 *
 * @param passed number of checks that passed
 * @param worst largest error in ulp
 * @param failures one text each: the check's name, then inputs, result and expectation
 */
record CheckRun(int passed, Worst worst, List<String> failures) {
  private static final CheckRun NONE = new CheckRun(0, Worst.NONE, List.of());

  /**
   * Runs {@code checks} on several contexts in parallel, since compilers, which use one processor
   * each, take most of the time.
   *
   * @param open opens a context
   * @param progress called after each check
   */
  static CheckRun of(Supplier<Context> open, List<Check> checks, int threads, Runnable progress) {
    var results = new CheckRun[checks.size()];
    var next = new AtomicInteger();
    Runnable work =
        () -> {
          try (Context ctx = open.get()) {
            for (int k = next.getAndIncrement(); k < results.length; k = next.getAndIncrement()) {
              results[k] = of(ctx, checks.get(k));
              for (int part = 0; part < checks.get(k).count(); part++) {
                progress.run();
              }
            }
          }
        };
    try (var pool = Executors.newFixedThreadPool(threads)) {
      var workers = new ArrayList<Future<?>>();
      for (int k = 0; k < threads; k++) {
        workers.add(pool.submit(work));
      }
      for (Future<?> worker : workers) {
        await(worker);
      }
    }
    CheckRun all = NONE;
    for (CheckRun result : results) {
      all = all.and(result);
    }
    return all;
  }

  private static void await(Future<?> worker) {
    try {
      worker.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RistrettoException own ? own : new IllegalStateException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static CheckRun of(Context ctx, Check check) {
    try {
      return new CheckRun(check.count(), check.body().run(ctx), List.of());
    } catch (RuntimeException | AssertionError e) {
      return check.wide() && lacksF64(e) ? NONE : failed(ctx, check, e);
    }
  }

  /** Runs the parts of a failed check one by one; if none fails, reports the combined check. */
  private static CheckRun failed(Context ctx, Check check, Throwable e) {
    CheckRun alone = NONE;
    for (Check part : check.parts()) {
      alone = alone.and(of(ctx, part));
    }
    String text = check.name() + "\n" + text(e);
    return alone.failures.isEmpty() ? alone.and(new CheckRun(0, Worst.NONE, List.of(text))) : alone;
  }

  private CheckRun and(CheckRun other) {
    var both = new ArrayList<>(failures);
    both.addAll(other.failures);
    return new CheckRun(passed + other.passed, worst.or(other.worst), both);
  }

  /**
   * Number of checks that apply to the device; F64 checks apply only to devices that compute in
   * F64.
   */
  int concerned() {
    return passed + failures.size();
  }

  private static boolean lacksF64(Throwable e) {
    return e instanceof KernelException
        && e.getMessage().contains("f64 needs a device that computes in it");
  }

  private static String text(Throwable e) {
    return e instanceof AssertionError && e.getMessage() != null ? e.getMessage() : e.toString();
  }
}
