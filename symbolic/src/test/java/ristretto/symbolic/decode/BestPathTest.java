package ristretto.symbolic.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.expr.Context;
import ristretto.kernels.ShapeException;

class BestPathTest {
  private static final Context CTX = Context.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  @Test
  void collapsesRepeatedClassesAndDropsBlanks() {
    int[] path = {1, 1, 0, 1, 2, 2, 0, 0, 3, 1};
    var scores = new float[path.length * 4];
    for (int t = 0; t < path.length; t++) {
      scores[t * 4 + path[t]] = 1;
    }
    var tensor = CTX.tensor(scores, path.length, 1, 4);
    assertThat(BestPath.of(tensor, new int[] {10}).get(0)).containsExactly(1, 1, 2, 3, 1);
    assertThat(BestPath.of(tensor, new int[] {5}).get(0)).containsExactly(1, 1, 2);
    assertThat(BestPath.of(tensor, new int[] {10}, 1).get(0)).containsExactly(0, 2, 0, 3);
    assertThat(BestPath.of(tensor, new int[] {0}).get(0)).isEmpty();
  }

  /** Labels by dropping from lists: first repeated ones, then blanks. */
  private static int[] oracle(double[] scores, int n, int classes, int k, int steps, int blank) {
    var path = new ArrayList<Integer>();
    for (int t = 0; t < steps; t++) {
      int best = 0;
      for (int c = 0; c < classes; c++) {
        int row = (t * n + k) * classes;
        best = scores[row + c] > scores[row + best] ? c : best;
      }
      if (path.isEmpty() || path.get(path.size() - 1) != best) {
        path.add(best);
      }
    }
    return path.stream().filter(c -> c != blank).mapToInt(Integer::intValue).toArray();
  }

  @ParameterizedTest
  @CsvSource({"1, 1, 1, 0", "7, 3, 2, 1", "31, 5, 3, 0", "13, 2, 5, 4"})
  void equalsPlainLoops(int count, int n, int classes, int blank) {
    var random = new Random(count);
    double[] scores = random.doubles((long) count * n * classes, -1, 1).toArray();
    int[] steps = random.ints(n, 0, count + 1).toArray();
    List<int[]> got = BestPath.of(CTX.tensor(scores, count, n, classes), steps, blank);
    assertThat(got).hasSize(n);
    for (int k = 0; k < n; k++) {
      assertThat(got.get(k)).containsExactly(oracle(scores, n, classes, k, steps[k], blank));
    }
  }

  @Test
  void messages() {
    assertThat(BestPath.of(CTX.zeros(F64, 0, 2, 3), new int[2])).hasSize(2);
    assertThatThrownBy(() -> BestPath.of(CTX.zeros(F32, 4, 2, 3), new int[] {4, 4, 4}))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[bestPath] scores must be [steps, n, classes] with one number of steps for each of the"
                + " n sequences; got [4,2,3] and 3 numbers; permute or reshape the scores.");
    assertThatThrownBy(() -> BestPath.of(CTX.zeros(F32, 4, 1, 3), new int[] {5}))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[bestPath] each sequence must have from 0 steps to the number of steps; got 5 for 4"
                + " steps; correct the numbers of steps.");
    assertThatThrownBy(() -> BestPath.of(CTX.zeros(F32, 4, 1, 3), new int[] {4}, 3))
        .isInstanceOf(ShapeException.class)
        .hasMessage("[bestPath] the blank must be one of the classes 0 to 2; got 3.");
    var scores = CTX.tensor(new float[] {0, 1, 0, 1, 0, Float.NaN, 0, 1}, 2, 2, 2);
    assertThat(BestPath.of(scores, new int[] {1, 2})).hasSize(2);
    assertThatThrownBy(() -> BestPath.of(scores, new int[] {2, 1}))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[bestPath] scores must be numbers; got NaN in step 1 of sequence 0 of [2,2,2]; check"
                + " the inputs and the weights.");
  }
}
