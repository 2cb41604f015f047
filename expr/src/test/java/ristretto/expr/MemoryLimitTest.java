package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.*;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import ristretto.kernels.DeviceException;

/** What happens when memory is short, with 64 MiB for tensors of 16 MiB each. */
class MemoryLimitTest {
  private static final String PROPERTY = "ristretto.cpu.memory-limit";
  private static final int N = 2048;

  @BeforeAll
  static void limit() {
    System.setProperty(PROPERTY, "64m");
  }

  @AfterAll
  static void unlimit() {
    System.clearProperty(PROPERTY);
  }

  @Test
  void aContextGoesOnAfterItHadNoMemory() {
    try (var ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.ones(F32, N, N);
      List<Tensor<F32>> kept = new ArrayList<>();
      assertThatThrownBy(
              () -> {
                while (true) {
                  kept.add(ctx.eval(x.plus(1)));
                }
              })
          .isInstanceOf(DeviceException.class)
          .hasMessage(
              "[allocate] memory must suffice; asked for 16.0 MiB with 64.0 MiB in use (64.0 MiB"
                  + " with rounding) and a limit of 64.0 MiB; the largest of 4 buffers hold 16.0"
                  + " MiB, 16.0 MiB, 16.0 MiB, 16.0 MiB; let go of tensors that are no longer"
                  + " needed, or raise -Dristretto.cpu.memory-limit");
      assertThat(kept).hasSize(3);
      ctx.assign(kept.get(0), kept.get(1).plus(kept.get(2)));
      assertThat(kept.get(0).slice(at(N - 1), at(7)).item()).isEqualTo(4);
      kept.clear();
      assertThat(ctx.eval(x.times(3)).slice(at(5), at(5)).item()).isEqualTo(3);
    }
  }

  @Test
  void unusedTensorsMakeRoom() {
    try (var ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.ones(F32, N, N);
      for (int k = 0; k < 20; k++) {
        Tensor<F32> y = ctx.eval(x.plus(k));
        assertThat(y.layout().isContiguous()).isTrue();
      }
    }
  }

  /** A plan that fails for want of a second temporary leaves the first to the context. */
  @Test
  void temporariesOfEarlierPlansMakeRoom() {
    try (var ctx = Context.open("cpu")) {
      Tensor<F32> x = ctx.ones(F32, N, N);
      Tensor<F32> y = ctx.ones(F32, N, N);
      assertThatThrownBy(() -> ctx.assign(y, dot(dot(x.plus(y), x.plus(2)), y)))
          .isInstanceOf(DeviceException.class);
      Tensor<F32> z = ctx.eval(x.plus(y));
      Tensor<F32> w = ctx.eval(x.minus(z));
      assertThat(w.slice(at(0), at(0)).item()).isEqualTo(-1);
    }
  }
}
