package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.*;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.expr.type.F64;

/** Expressions with more operands than kernels of some devices may have. */
class ManyOperandsTest {
  private static final Context CTX = TestDevice.open();

  @AfterAll
  static void close() {
    CTX.close();
  }

  private static Tensor<F64> numbers(int k, int count) {
    double[] values = new double[count];
    for (int i = 0; i < count; i++) {
      values[i] = Math.cos(k + 0.7 * i);
    }
    return CTX.tensor(values);
  }

  private static double number(int k, int i) {
    return Math.cos(k + 0.7 * i);
  }

  private static void check(Expr<F64> expr, java.util.function.IntToDoubleFunction expected) {
    double[] got = CTX.eval(expr).toDoubleArray();
    for (int i = 0; i < got.length; i++) {
      assertThat(got[i]).isCloseTo(expected.applyAsDouble(i), within(1e-9));
    }
  }

  @Test
  void scalars() {
    Expr<F64> x = numbers(0, 5);
    Expr<F64> y = x;
    for (int k = 0; k < 150; k++) {
      y = y.times(1 - 0.001 * k).plus(0.01 * k);
    }
    check(
        y,
        i -> {
          double value = number(0, i);
          for (int k = 0; k < 150; k++) {
            value = value * (1 - 0.001 * k) + 0.01 * k;
          }
          return value;
        });
  }

  private static Expr<F64> sumOf(int count) {
    return sumOf(0, count);
  }

  /** Sum as a balanced tree. */
  private static Expr<F64> sumOf(int from, int to) {
    int middle = (from + to) / 2;
    return to - from == 1 ? numbers(from, 7) : sumOf(from, middle).plus(sumOf(middle, to));
  }

  private static double sumAt(int count, int i) {
    double sum = 0;
    for (int k = 0; k < count; k++) {
      sum += number(k, i);
    }
    return sum;
  }

  @Test
  void tensors() {
    check(sumOf(300), i -> sumAt(300, i));
    String plan = CTX.explain(sumOf(300)).toString();
    if (TestDevice.isCpu()) {
      assertThat(plan).doesNotContain("more operands");
    } else {
      assertThat(plan).contains("the kernel would have more operands than the device accepts");
    }
  }

  @Test
  void rows() {
    double norm = 0;
    for (int i = 0; i < 7; i++) {
      norm += Math.exp(sumAt(100, i));
    }
    double all = norm;
    check(softmax(sumOf(100), 0), i -> Math.exp(sumAt(100, i)) / all);
  }

  @Test
  void joinedAssignments() {
    List<Tensor<F64>> targets = new ArrayList<>();
    for (int k = 0; k < 4; k++) {
      targets.add(CTX.zeros(F64, 7));
    }
    Program program =
        CTX.recordOnly(() -> {
          for (int k = 0; k < 4; k++) {
            CTX.assign(targets.get(k), sumOf(1000 * k, 1000 * k + 40).times(k + 0.5));
          }
        });
    program.run();
    for (int k = 0; k < 4; k++) {
      double[] got = targets.get(k).toDoubleArray();
      for (int i = 0; i < 7; i++) {
        double sum = 0;
        for (int j = 0; j < 40; j++) {
          sum += number(1000 * k + j, i);
        }
        assertThat(got[i]).isCloseTo(sum * (k + 0.5), within(1e-9));
      }
    }
  }
}
