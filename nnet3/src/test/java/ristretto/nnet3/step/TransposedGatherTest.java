package ristretto.nnet3.step;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.F32;

import java.util.Random;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;

/** Sums over the rows that were read from each row, beside a loop. */
class TransposedGatherTest {
  private static final int SEQUENCES = 2;
  private static final int DIM = 3;

  @Test
  void runsOfEqualLengths() {
    check(new int[] {0, 0, 1, 1, 2, 2}, 0, 3);
    check(new int[] {5, 0, 0, 1, 1, 2, 2, 7}, 0, 3);
  }

  @Test
  void theFirstRowHasNoReaders() {
    check(new int[] {1, 1, 2, 2}, 0, 3);
    check(new int[] {3, 3, 3, 9, -1}, 2, 2);
  }

  @Test
  void theLastRowHasNoReaders() {
    check(new int[] {0, 0, 1, 1}, 0, 3);
  }

  @Test
  void manyReaders() {
    check(new int[] {1, 1, 1, 1, 1, 1, 0, 2, -1}, 0, 3);
  }

  @Test
  void aReaderEach() {
    check(new int[] {2, 0, -1, 1}, 0, 3);
  }

  @Test
  void nobodyReads() {
    try (Context context = Context.open("cpu")) {
      var deviceParameters = new DeviceParameters(context);
      Tensor<F32> dx = context.zeros(F32, 2, SEQUENCES, DIM);
      assertThat(TransposedGather.read(deviceParameters, dx, new int[] {-1, 7}, 0, 3)).isNull();
    }
  }

  private static void check(int[] places, int first, int count) {
    var random = new Random(1);
    var values = new float[places.length * SEQUENCES * DIM];
    for (int k = 0; k < values.length; k++) {
      values[k] = random.nextInt(-8, 9);
    }
    int width = SEQUENCES * DIM;
    var want = new float[count * width];
    for (int k = 0; k < places.length; k++) {
      int row = places[k] - first;
      for (int c = 0; row >= 0 && row < count && c < width; c++) {
        want[row * width + c] += values[k * width + c];
      }
    }
    try (Context context = Context.open("cpu")) {
      var deviceParameters = new DeviceParameters(context);
      Tensor<F32> dx = context.tensor(values, places.length, SEQUENCES, DIM);
      Expr<F32> sums = TransposedGather.read(deviceParameters, dx, places, first, count);
      assertThat(context.eval(sums).toFloatArray()).containsExactly(want);
    }
  }
}
