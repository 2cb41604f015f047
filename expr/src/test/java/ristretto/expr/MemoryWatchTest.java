package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.F32;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.expr.device.DeviceSelection;
import ristretto.expr.memory.MemoryWatch;
import ristretto.expr.memory.Reclaimer;
import ristretto.expr.type.F32;

/** Memory of tensors and contexts that nothing uses any more. */
class MemoryWatchTest {
  private static final long LEAST = 8L << 20;

  private static Context open(MemoryWatch watch) {
    return new Context(DeviceSelection.open("cpu"), watch);
  }

  @Test
  void replacedTensorsTakeAtMostTwiceWhatIsReachable() {
    try (Context ctx = open(new MemoryWatch(LEAST))) {
      long elements = 3 * LEAST / 4;
      Tensor<F32> t = ctx.zeros(F32, elements);
      for (int k = 0; k < 12; k++) {
        t = ctx.eval(t.plus(1));
      }
      assertThat(t.slice(Ops.range(0, 1)).item()).isEqualTo(12);
      // The old and the new one are reachable at once.
      assertThat(ctx.stats().peakBytes()).isLessThanOrEqualTo(2 * 2 * 4 * elements);
    }
  }

  @Test
  void smallTensorsAreCollectedInTime() {
    try (Context ctx = open(new MemoryWatch(LEAST))) {
      long elements = LEAST / 64;
      Tensor<F32> t = ctx.zeros(F32, elements);
      for (int k = 0; k < 200; k++) {
        t = ctx.eval(t.plus(1));
      }
      assertThat(ctx.stats().peakBytes()).isLessThan(8 * LEAST + 2 * 4 * elements);
      assertThat(t.slice(Ops.range(0, 1)).item()).isEqualTo(200);
    }
  }

  @Test
  void reachableTensorsAreNotLookedThroughAgainAndAgain() {
    var watch = new MemoryWatch(LEAST);
    try (Context ctx = open(watch)) {
      List<Tensor<F32>> all = new ArrayList<>();
      for (int k = 0; k < 256; k++) {
        all.add(ctx.zeros(F32, LEAST / 32));
      }
      assertThat(all).hasSize(256);
      // The number grows with the logarithm of what is reachable.
      assertThat(watch.collections()).isBetween(1, 8);
    }
  }

  @Test
  void contextsThatNobodyClosedAreClosed() {
    var watch = new MemoryWatch(LEAST);
    for (int k = 0; k < 300; k++) {
      Context ctx = open(watch);
      assertThat(ctx.eval(ctx.ones(F32, 3).plus(k)).toFloatArray()[2]).isEqualTo(k + 1);
    }
    assertThat(watch.openDevices()).isLessThan(70);
  }

  @Test
  void aTensorKeepsItsContextOpen() {
    var watch = new MemoryWatch(LEAST);
    Tensor<F32> kept = open(watch).full(F32, 7, 5);
    for (int k = 0; k < 100; k++) {
      open(watch);
    }
    Reclaimer.collect();
    assertThat(watch.openDevices()).isLessThan(70);
    assertThat(kept.toFloatArray()).containsOnly(7);
    assertThat(kept.context().eval(kept.plus(1)).toFloatArray()).containsOnly(8);
  }
}
