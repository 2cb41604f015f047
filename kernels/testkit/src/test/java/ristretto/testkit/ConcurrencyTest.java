package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;

@Timeout(120)
class ConcurrencyTest {
  private static final int THREADS = 8;

  @Test
  void manyThreadsShareAContext() throws Exception {
    try (var ctx = TestDevice.open()) {
      Tensor<F32> shared = ctx.eval(uniform(F32, 1, 300, 40));
      float[] expected = work(ctx, shared, 3);
      inParallel(thread -> {
        for (int round = 0; round < 20; round++) {
          assertThat(work(ctx, shared, 3)).isEqualTo(expected);
        }
      });
    }
  }

  @Test
  void manyContextsAtOnce() throws Exception {
    float[] expected;
    try (var ctx = TestDevice.open()) {
      expected = work(ctx, ctx.eval(uniform(F32, 1, 300, 40)), 3);
    }
    inParallel(thread -> {
      for (int round = 0; round < 5; round++) {
        try (var ctx = TestDevice.open()) {
          assertThat(work(ctx, ctx.eval(uniform(F32, 1, 300, 40)), 3)).isEqualTo(expected);
        }
      }
    });
  }

  /** All threads request one new kernel at the same time: one compilation. */
  @Test
  void aNewKernelIsCompiledOnce() throws Exception {
    try (var ctx = TestDevice.open()) {
      Tensor<F32> x = ctx.ones(F32, 1000);
      Expr<F32> fresh = cos(x.times(0)).plus(x.minus(x)).times(sqrt(x)).plus(atan(x.times(0)));
      assertThat(ctx.explain(fresh).kernelCount()).isEqualTo(1);
      long before = ctx.stats().cacheMisses();
      inParallel(_ -> assertThat(ctx.eval(fresh).toFloatArray()).containsOnly(1));
      assertThat(ctx.stats().cacheMisses() - before).isEqualTo(1);
    }
  }

  /** Compiled kernels outlive the context they were compiled for. */
  @Test
  void contextsShareCompiledKernels() throws Exception {
    var misses = new AtomicLong();
    inParallel(_ -> {
      try (var ctx = TestDevice.open()) {
        Tensor<F32> x = ctx.ones(F32, 1000);
        long before = ctx.stats().cacheMisses();
        fresh(ctx, x);
        misses.addAndGet(ctx.stats().cacheMisses() - before);
      }
    });
    assertThat(misses.get()).isEqualTo(1);
    try (var ctx = TestDevice.open()) {
      fresh(ctx, ctx.ones(F32, 2000));
      assertThat(ctx.stats().cacheMisses()).isZero();
      assertThat(ctx.stats().compileMillis()).isZero();
      assertThat(ctx.stats().cacheHits()).isEqualTo(2);
    }
  }

  private static void fresh(Context ctx, Tensor<F32> x) {
    Expr<F32> fresh = sin(x.times(0)).minus(asin(x.times(0))).plus(x.times(x).times(cbrt(x)));
    assertThat(ctx.eval(fresh).toFloatArray()).containsOnly(1);
  }

  /** Each thread updates its own rows of one tensor. */
  @Test
  void threadsWriteTheirOwnPartsOfATensor() throws Exception {
    try (var ctx = TestDevice.open()) {
      Tensor<F32> all = ctx.zeros(F32, THREADS, 1000);
      inParallel(thread -> {
        Tensor<F32> mine = all.slice(at(thread));
        for (int round = 0; round < 50; round++) {
          ctx.assignAdd(mine, fill(F32, thread, 1000));
        }
      });
      for (int thread = 0; thread < THREADS; thread++) {
        assertThat(all.slice(at(thread)).toFloatArray()).containsOnly(50f * thread);
      }
    }
  }

  @Test
  void programsRunInManyThreads() throws Exception {
    try (var ctx = TestDevice.open()) {
      var programs = new ArrayList<Program>();
      var targets = new ArrayList<Tensor<F32>>();
      for (int k = 0; k < THREADS; k++) {
        Tensor<F32> target = ctx.zeros(F32, 100);
        int step = k;
        programs.add(
            ctx.record(() -> {
              Tensor<F32> t = ctx.eval(target.plus(step));
              ctx.assign(target, t.minus(sum(t).times(0)));
            }));
        targets.add(target);
      }
      inParallel(thread -> {
        for (int round = 1; round < 30; round++) {
          programs.get(thread).run();
        }
      });
      for (int k = 0; k < THREADS; k++) {
        assertThat(targets.get(k).toFloatArray()).containsOnly(30f * k);
      }
    }
  }

  private static float[] work(Context ctx, Tensor<F32> x, int rounds) {
    Tensor<F32> y = ctx.eval(softmax(x.times(3), 1));
    for (int k = 0; k < rounds; k++) {
      ctx.assign(y, tanh(y.plus(x)).minus(mean(y, 0)));
      ctx.assignAdd(y.slice(range(0, 10)), dot(x.slice(range(0, 10)), dot(x.t(), x)).times(1e-3));
    }
    return y.toFloatArray();
  }

  private interface Work {
    void run(int thread) throws Exception;
  }

  private static void inParallel(Work work) throws Exception {
    var barrier = new CyclicBarrier(THREADS);
    List<Future<?>> futures = new ArrayList<>();
    try (var pool = Executors.newFixedThreadPool(THREADS)) {
      for (int k = 0; k < THREADS; k++) {
        int thread = k;
        Callable<Object> task =
            () -> {
              barrier.await(60, TimeUnit.SECONDS);
              work.run(thread);
              return null;
            };
        futures.add(pool.submit(task));
      }
      for (Future<?> future : futures) {
        try {
          future.get();
        } catch (ExecutionException e) {
          if (e.getCause() instanceof Error error) {
            throw error;
          }
          throw e;
        }
      }
    }
  }
}
