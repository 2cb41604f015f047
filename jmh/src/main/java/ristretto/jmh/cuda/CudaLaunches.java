package ristretto.jmh.cuda;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.jmh.engine.TenNodes;
import ristretto.jmh.report.Fact;
import ristretto.jmh.report.LaunchTargets;

/** Host time of a launch on a GPU, and time of a kernel in a long program. */
public final class CudaLaunches {
  private static final int ELEMENTS = 1000;
  private static final int KERNELS = 100;
  private static final int ROUNDS = 100;
  private static final int WARM_ROUNDS = 100;

  /** Number of launches, less than the driver queues before it blocks. */
  private static final int CALLS = 200;

  private CudaLaunches() {}

  /** Measures launches on {@code device}. */
  public static List<Fact> measure(String device) {
    var facts = new ArrayList<Fact>();
    try (Context context = Context.open(device)) {
      var ten = new TenNodes(context, ELEMENTS);
      Expr<F32> prebuilt = ten.build();
      facts.add(
          new Fact(
              "cuda-built",
              "host time of a launch: expression built, then assigned",
              host(context, () -> ten.assign(ten.build())),
              "us",
              Optional.empty()));
      facts.add(
          new Fact(
              "cuda-prebuilt",
              "host time of a launch: expression built before",
              host(context, () -> ten.assign(prebuilt)),
              "us",
              LaunchTargets.CUDA_MICROS));
      Program program = program(context);
      facts.add(
          new Fact(
              "cuda-recorded",
              "a kernel of a recorded program of " + program.kernelCount(),
              whole(context, program::run) / program.kernelCount(),
              "us",
              LaunchTargets.CUDA_PROGRAM_MICROS));
    }
    return facts;
  }

  /**
   * Records kernels that cannot be fused: each reads the previous one's result at other indices.
   */
  private static Program program(Context context) {
    Tensor<F32> a = context.tensor(new float[ELEMENTS]);
    Tensor<F32> b = context.tensor(new float[ELEMENTS]);
    return context.record(() -> {
      for (int k = 0; k < KERNELS; k += 2) {
        context.assign(b, a.flip(0).plus(1));
        context.assign(a, b.flip(0).times(0.5));
      }
    });
  }

  /** Minimum host time of a call, in microseconds. */
  private static double host(Context context, Runnable call) {
    double least = Double.MAX_VALUE;
    for (int round = 0; round < WARM_ROUNDS + ROUNDS; round++) {
      context.synchronize();
      long start = System.nanoTime();
      for (int k = 0; k < CALLS; k++) {
        call.run();
      }
      double micros = (System.nanoTime() - start) / 1e3 / CALLS;
      least = round < WARM_ROUNDS ? least : Math.min(least, micros);
    }
    context.synchronize();
    return least;
  }

  /** Minimum time of a call until its work is done, in microseconds. */
  private static double whole(Context context, Runnable call) {
    double least = Double.MAX_VALUE;
    for (int round = 0; round < WARM_ROUNDS + ROUNDS; round++) {
      context.synchronize();
      long start = System.nanoTime();
      call.run();
      context.synchronize();
      double micros = (System.nanoTime() - start) / 1e3;
      least = round < WARM_ROUNDS ? least : Math.min(least, micros);
    }
    return least;
  }
}
