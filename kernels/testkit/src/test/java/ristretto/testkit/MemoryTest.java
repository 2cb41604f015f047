package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.*;

import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.kernels.ClosedException;

class MemoryTest {
  @Test
  void memoryOfUnreachableTensorsComesBack() throws InterruptedException {
    try (var ctx = TestDevice.open()) {
      Tensor<F32> x = ctx.ones(F32, 100, 100);
      // The context keeps the temporaries' memory for later assignments.
      long start = ctx.stats().bytesAllocated() + work(ctx, x, 1);
      work(ctx, x, 50);
      for (int k = 0; k < 100 && ctx.stats().bytesAllocated() > start; k++) {
        System.gc();
        Thread.sleep(20);
        // Whatever frees memory may do so on the next use.
        ctx.assign(x, x);
      }
      assertThat(ctx.stats().bytesAllocated()).isEqualTo(start);
    }
  }

  /** Returns the bytes that temporaries took. */
  private static long work(Context ctx, Tensor<F32> x, int rounds) {
    long temporaries = 0;
    for (int k = 0; k < rounds; k++) {
      Expr<F32> rows = sum(softmax(x.plus(k), 1));
      Expr<F32> product = dot(x.plus(1), x).plus(x);
      long before = ctx.stats().bytesAllocated();
      Tensor<F32> a = ctx.eval(rows);
      Tensor<F32> b = ctx.eval(product);
      assertThat(a.item()).isBetween(99.9, 100.1);
      temporaries =
          ctx.stats().bytesAllocated() - before - 4 * (a.shape().size() + b.shape().size());
    }
    return temporaries;
  }

  /** A loop that makes temporaries stays small without the garbage collector's help. */
  @Test
  void temporariesOfAnAssignmentAreFreedAtOnce() {
    try (var ctx = TestDevice.open()) {
      Tensor<F32> x = ctx.ones(F32, 200, 200);
      Tensor<F32> y = ctx.zeros(F32, 200, 200);
      ctx.assign(y, dot(x.plus(1), x).plus(dot(x, x.minus(1))));
      long held = ctx.stats().bytesAllocated();
      long peak = ctx.stats().peakBytes();
      for (int k = 0; k < 20; k++) {
        ctx.assign(y, dot(x.plus(k), x).plus(dot(x, x.minus(k))));
      }
      assertThat(ctx.stats().bytesAllocated()).isEqualTo(held);
      assertThat(ctx.stats().peakBytes()).isEqualTo(peak);
    }
  }

  @Test
  void closingFreesEverything() {
    var ctx = TestDevice.open();
    Tensor<F32> x = ctx.ones(F32, 1000);
    Program program = ctx.record(() -> ctx.assign(x, x.plus(1)));
    ctx.close();
    ctx.close();
    assertThat(ctx.stats().bytesAllocated()).isZero();
    assertThatThrownBy(() -> ctx.eval(x)).isInstanceOf(ClosedException.class);
    assertThatThrownBy(() -> ctx.zeros(F32, 1)).isInstanceOf(ClosedException.class);
    assertThatThrownBy(x::toFloatArray).isInstanceOf(ClosedException.class);
    assertThatThrownBy(program::run).isInstanceOf(ClosedException.class);
  }
}
