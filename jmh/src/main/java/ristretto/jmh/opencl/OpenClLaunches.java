package ristretto.jmh.opencl;

import static org.jocl.CL.clEnqueueNDRangeKernel;
import static org.jocl.CL.clFinish;
import static org.jocl.CL.clReleaseMemObject;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jocl.cl_kernel;
import org.jocl.cl_mem;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Program;
import ristretto.expr.type.F32;
import ristretto.jmh.engine.TenNodes;
import ristretto.jmh.report.Fact;
import ristretto.jmh.report.LaunchTargets;

/** Overhead of launching a ten-node expression over a thousand elements, relative to bare JOCL. */
public final class OpenClLaunches {
  private static final int ELEMENTS = 1000;
  private static final int ROUNDS = 60;
  private static final int CALLS = 500;
  private static final int WARM_ROUNDS = 20;

  private OpenClLaunches() {}

  /** Measures all kinds of launches in turns on {@code device}. */
  public static List<Fact> measure(String device) {
    try (Context context = Context.open(device);
        var bare = new Bare(index(context.device()))) {
      var ten = new TenNodes(context, ELEMENTS);
      Expr<F32> prebuilt = ten.build();
      Program program = context.record(() -> ten.assign(prebuilt));
      cl_mem a = bare.allocate(4 * ELEMENTS);
      cl_mem b = bare.allocate(4 * ELEMENTS);
      cl_mem y = bare.allocate(4 * ELEMENTS);
      cl_kernel kernel = bare.kernel(1, "ten");
      Bare.set(kernel, a, b, y, ELEMENTS);
      long[] global = {1024};
      long[] local = {256};
      Runnable start =
          () -> clEnqueueNDRangeKernel(bare.queue, kernel, 1, null, global, local, 0, null, null);
      double[] least =
          least(
              List.of(
                  start, () -> ten.assign(ten.build()), () -> ten.assign(prebuilt), program::run),
              () -> {
                clFinish(bare.queue);
                context.synchronize();
              });
      List.of(a, b, y).forEach(m -> clReleaseMemObject(m));
      return List.of(
          new Fact(
              "opencl-bare",
              "bare launch of 10 operations over 1e3",
              least[0],
              "us",
              Optional.empty()),
          over("opencl-built", "over it: expression built, then assigned", least, 1),
          over("opencl-prebuilt", "over it: expression built before", least, 2),
          over("opencl-recorded", "over it: recorded program", least, 3));
    }
  }

  private static int index(String device) {
    return Integer.parseInt(device.substring(device.indexOf(':') + 1));
  }

  private static Fact over(String name, String what, double[] least, int k) {
    return new Fact(name, what, least[k] - least[0], "us", LaunchTargets.OPENCL_MICROS);
  }

  /** Minimum time of a launch in microseconds; the candidates run in turns. */
  private static double[] least(List<Runnable> all, Runnable finish) {
    double[] least = new double[all.size()];
    Arrays.fill(least, Double.MAX_VALUE);
    for (int round = 0; round < WARM_ROUNDS + ROUNDS; round++) {
      for (int k = 0; k < least.length; k++) {
        finish.run();
        long start = System.nanoTime();
        for (int call = 0; call < CALLS; call++) {
          all.get(k).run();
        }
        finish.run();
        double micros = (System.nanoTime() - start) / 1e3 / CALLS;
        least[k] = round < WARM_ROUNDS ? least[k] : Math.min(least[k], micros);
      }
    }
    return least;
  }
}
