package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.AxesCase.Rule;
import ristretto.expr.OpCase.Domain;

/** Every reduction against a loop over doubles. */
class ReductionTest {
  private static final List<DType<?>> FLOATS = List.of(F32, F64);
  private static final List<DType<?>> NUMBERS = List.of(F32, F64, I32, I64);
  private static final List<DType<?>> ALL = List.of(F32, F64, I32, I64, F16, BF16, I8, U8);
  private static final List<DType<?>> FLAGS = List.of(BOOL, F32, F64, I32, I64, U8);
  private static final Context CPU = Context.open("cpu");
  private static final Context ORACLE = Context.open("oracle");

  private static final List<AxesCase> CASES = new ArrayList<>();

  @AfterAll
  static void close() {
    CPU.close();
    ORACLE.close();
  }

  static Stream<AxesCase> cases() {
    return CASES.stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void agreesWithTheOracle(AxesCase op) {
    op.check(CPU);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void plansKeepTheRules(AxesCase op) {
    op.checkLayouts(ORACLE);
  }

  /** Long enough for all threads to share one row. */
  @Test
  void longRows() {
    for (AxesCase op : CASES) {
      if (op.domain() == Domain.SMALL) {
        op.check(CPU, op.dtypes().getFirst(), new long[] {70_001}, TestLayout.CONTIGUOUS, 0);
      }
    }
  }

  /** F32 sums short runs only, along any axis. */
  @Test
  void longSumsKeepTheirPrecision() {
    int n = 100_003;
    Tensor<F32> x = CPU.full(F32, 0.1f, n, 5);
    double expected = n * (double) 0.1f;
    for (Tensor<F32> t : List.of(x, x.t().reshape(n, 5))) {
      for (float v : CPU.eval(sum(t, 0)).toFloatArray()) {
        assertThat((double) v).isCloseTo(expected, offset(expected * 1e-6));
      }
    }
    for (float v : CPU.eval(sum(x.t(), 1)).toFloatArray()) {
      assertThat((double) v).isCloseTo(expected, offset(expected * 1e-6));
    }
  }

  /** Infinities and large numbers neither become NaN nor overflow on the way. */
  @Test
  void overflowOfPartsIsNotOverflowOfTheWhole() {
    Tensor<F32> x = CPU.tensor(new float[] {1000, -1000, 999});
    assertThat(CPU.eval(logSumExp(x)).item()).isCloseTo(1000.3132617, offset(1e-4));
    assertThat(CPU.eval(logSumExp(x.times(-1))).item()).isCloseTo(1000, offset(1e-4));
    Tensor<F32> none = CPU.full(F32, Double.NEGATIVE_INFINITY, 4);
    assertThat(CPU.eval(logSumExp(none)).item()).isEqualTo(Double.NEGATIVE_INFINITY);
    assertThat(CPU.eval(logSumExp(none.neg())).item()).isEqualTo(Double.POSITIVE_INFINITY);
    // Two passes: no cancellation of large means.
    Tensor<F32> far = CPU.tensor(new float[] {4096, 4097, 4098, 4099});
    assertThat(CPU.eval(var(far)).item()).isEqualTo(1.25);
  }

  /**
   * NumPy widens sums of small integers; here the dtype stays, and wraps as its arithmetic does.
   */
  @Test
  void sumsOfIntegersWrap() {
    Tensor<I32> x = CPU.full(I32, Integer.MAX_VALUE, 3);
    assertThat(CPU.eval(sum(x)).toIntArray()).containsExactly(Integer.MAX_VALUE - 2);
    assertThat(CPU.eval(prod(x)).toIntArray()).containsExactly(Integer.MAX_VALUE);
    assertThat(CPU.eval(sum(x.cast(I64))).toLongArray()).containsExactly(3L * Integer.MAX_VALUE);
    Tensor<I64> y = CPU.tensor(new long[] {Long.MAX_VALUE, 1, Long.MIN_VALUE + 7});
    assertThat(CPU.eval(sum(y)).toLongArray()).containsExactly(7);
    assertThat(CPU.eval(max(y)).toLongArray()).containsExactly(Long.MAX_VALUE);
    assertThat(CPU.eval(argMin(y)).toLongArray()).containsExactly(2);
    assertThat(CPU.eval(sum(CPU.full(U8, 200, 3))).toByteArray()).containsExactly((byte) 600);
  }

  private static org.assertj.core.data.Offset<Double> offset(double by) {
    return org.assertj.core.data.Offset.offset(by);
  }

  // ---- the table ---------------------------------------------------------------------------

  private static void several(
      String name,
      List<DType<?>> dtypes,
      Domain domain,
      Tolerance tolerance,
      BiFunction<Expr<F32>, int[], Expr<?>> ours,
      ToDoubleFunction<double[]> oracle) {
    add(name, Rule.SEVERAL, dtypes, domain, tolerance, ours, oracle);
  }

  private static void nonEmpty(
      String name,
      List<DType<?>> dtypes,
      Domain domain,
      Tolerance tolerance,
      BiFunction<Expr<F32>, int[], Expr<?>> ours,
      ToDoubleFunction<double[]> oracle) {
    add(name, Rule.SEVERAL_WITH_ELEMENTS, dtypes, domain, tolerance, ours, oracle);
  }

  private static void add(
      String name,
      Rule rule,
      List<DType<?>> dtypes,
      Domain domain,
      Tolerance tolerance,
      BiFunction<Expr<F32>, int[], Expr<?>> ours,
      ToDoubleFunction<double[]> oracle) {
    CASES.add(
        new AxesCase(
            name + " of " + domain,
            rule,
            dtypes,
            domain,
            tolerance,
            ours,
            (v, axes) -> v.reduce(oracle, axes)));
  }

  private static double sumOf(double... row) {
    double sum = 0;
    for (double v : row) {
      sum += v;
    }
    return sum;
  }

  private static double meanOf(double... row) {
    return sumOf(row) / row.length;
  }

  private static double varOf(double... row) {
    double mean = meanOf(row);
    return meanOf(DoubleStream.of(row).map(v -> (v - mean) * (v - mean)).toArray());
  }

  private static double maxOf(double... row) {
    return DoubleStream.of(row).reduce(Double.NEGATIVE_INFINITY, Math::max);
  }

  private static double minOf(double... row) {
    return DoubleStream.of(row).reduce(Double.POSITIVE_INFINITY, Math::min);
  }

  private static double logSumExpOf(double... row) {
    double max = maxOf(row);
    return Double.isInfinite(max)
        ? max
        : max + Math.log(DoubleStream.of(row).map(v -> Math.exp(v - max)).sum());
  }

  /** The first NaN, or else the first one that is {@code best}. */
  private static double position(double[] row, double best) {
    for (int k = 0; k < row.length; k++) {
      if (Double.isNaN(best) ? Double.isNaN(row[k]) : row[k] == best) {
        return k;
      }
    }
    throw new AssertionError(best + " in " + Arrays.toString(row));
  }

  private static double lastNonZero(double... row) {
    double last = 0;
    for (double v : row) {
      last = v != 0 ? v : last;
    }
    return last;
  }

  private static double flag(boolean v) {
    return v ? 1 : 0;
  }

  static {
    several("sum", ALL, Domain.SMALL, Tolerance.EQUAL, (a, x) -> sum(a, x), row -> sumOf(row));
    several("sum", FLOATS, Domain.ANY, Tolerance.REDUCTION, (a, x) -> sum(a, x), row -> sumOf(row));
    several("sum", FLOATS, Domain.SPARSE, Tolerance.EQUAL, (a, x) -> sum(a, x), row -> sumOf(row));
    several(
        "prod",
        NUMBERS,
        Domain.NEAR_ONE,
        Tolerance.PRODUCT,
        (a, x) -> prod(a, x),
        row -> DoubleStream.of(row).reduce(1, (u, v) -> u * v));
    nonEmpty("max", ALL, Domain.SMALL, Tolerance.EQUAL, (a, x) -> max(a, x), row -> maxOf(row));
    nonEmpty("max", FLOATS, Domain.SPARSE, Tolerance.BITS, (a, x) -> max(a, x), row -> maxOf(row));
    nonEmpty("min", ALL, Domain.SMALL, Tolerance.EQUAL, (a, x) -> min(a, x), row -> minOf(row));
    nonEmpty("min", FLOATS, Domain.SPARSE, Tolerance.BITS, (a, x) -> min(a, x), row -> minOf(row));
    nonEmpty("max", FLOATS, Domain.ANY, Tolerance.BITS, (a, x) -> max(a, x), row -> maxOf(row));
    for (Domain domain : List.of(Domain.SMALL, Domain.ANY, Domain.SPARSE)) {
      List<DType<?>> dtypes = domain == Domain.SMALL ? ALL : NUMBERS;
      nonEmpty(
          "argMax",
          dtypes,
          domain,
          Tolerance.EQUAL,
          (a, x) -> argMax(a, x),
          row -> position(row, maxOf(row)));
      nonEmpty(
          "argMin",
          dtypes,
          domain,
          Tolerance.EQUAL,
          (a, x) -> argMin(a, x),
          row -> position(row, minOf(row)));
    }
    nonEmpty(
        "argMax",
        List.of(BOOL),
        Domain.FLAG,
        Tolerance.EQUAL,
        (a, x) -> argMax(a, x),
        row -> position(row, maxOf(row)));
    several(
        "any",
        FLAGS,
        Domain.FLAG,
        Tolerance.EQUAL,
        (a, x) -> any(a, x),
        row -> flag(DoubleStream.of(row).anyMatch(v -> v != 0)));
    several(
        "all",
        FLAGS,
        Domain.FLAG,
        Tolerance.EQUAL,
        (a, x) -> all(a, x),
        row -> flag(DoubleStream.of(row).allMatch(v -> v != 0)));
    several("all", NUMBERS, Domain.NEAR_ONE, Tolerance.EQUAL, (a, x) -> all(a, x), row -> 1);
    several(
        "countNonZero",
        FLAGS,
        Domain.FLAG,
        Tolerance.EQUAL,
        (a, x) -> countNonZero(a, x),
        row -> sumOf(row));
    several(
        "countNonZero",
        FLOATS,
        Domain.SPARSE,
        Tolerance.EQUAL,
        (a, x) -> countNonZero(a, x),
        row -> DoubleStream.of(row).filter(v -> v != 0).count());
    several(
        "mean", FLOATS, Domain.SMALL, Tolerance.SEVERAL, (a, x) -> mean(a, x), row -> meanOf(row));
    several(
        "mean", FLOATS, Domain.SPARSE, Tolerance.SEVERAL, (a, x) -> mean(a, x), row -> meanOf(row));
    for (DType<?> half : List.of(F16, BF16)) {
      several(
          "mean",
          List.of(half),
          Domain.SMALL,
          Tolerance.HALF,
          (a, x) -> mean(a, x),
          row -> meanOf(row));
      several(
          "var",
          List.of(half),
          Domain.SMALL,
          Tolerance.HALF,
          (a, x) -> var(a, x),
          row -> varOf(row));
      several(
          "logSumExp",
          List.of(half),
          Domain.SMALL,
          Tolerance.HALF,
          (a, x) -> logSumExp(a, x),
          row -> logSumExpOf(row));
    }
    several(
        "var", FLOATS, Domain.SMALL, Tolerance.VARIANCE, (a, x) -> var(a, x), row -> varOf(row));
    several(
        "var", FLOATS, Domain.SPARSE, Tolerance.VARIANCE, (a, x) -> var(a, x), row -> varOf(row));
    several("var", FLOATS, Domain.ANY, Tolerance.VARIANCE, (a, x) -> var(a, x), row -> varOf(row));
    several(
        "std",
        FLOATS,
        Domain.ANY,
        Tolerance.VARIANCE,
        (a, x) -> std(a, x),
        row -> Math.sqrt(varOf(row)));
    several(
        "logSumExp",
        FLOATS,
        Domain.ANY,
        Tolerance.CANCELLING,
        (a, x) -> logSumExp(a, x),
        row -> logSumExpOf(row));
    several(
        "logSumExp",
        FLOATS,
        Domain.SPARSE,
        Tolerance.CANCELLING,
        (a, x) -> logSumExp(a, x),
        row -> logSumExpOf(row));
    several(
        "norm",
        FLOATS,
        Domain.ANY,
        Tolerance.SEVERAL,
        (a, x) -> norm(a, x),
        row -> Math.sqrt(DoubleStream.of(row).map(v -> v * v).sum()));
    several(
        "norm1",
        NUMBERS,
        Domain.SMALL,
        Tolerance.EQUAL,
        (a, x) -> norm1(a, x),
        row -> DoubleStream.of(row).map(Math::abs).sum());
    nonEmpty(
        "normInf",
        NUMBERS,
        Domain.SPARSE,
        Tolerance.EQUAL,
        (a, x) -> normInf(a, x),
        row -> maxOf(DoubleStream.of(row).map(Math::abs).toArray()));
    nonEmpty(
        "ptp",
        NUMBERS,
        Domain.SPARSE,
        Tolerance.EQUAL,
        (a, x) -> ptp(a, x),
        row -> maxOf(row) - minOf(row));
    several(
        "sum by lambda",
        List.of(F32),
        Domain.SMALL,
        Tolerance.EQUAL,
        (a, x) -> reduce(a, 0f, (u, v) -> u + v, x),
        row -> sumOf(row));
    several(
        "last non-zero by lambda",
        List.of(F32),
        Domain.SMALL,
        Tolerance.EQUAL,
        (a, x) -> reduce(a, 0f, (u, v) -> v != 0 ? v : u, x),
        row -> lastNonZero(row));
    several(
        "last non-zero by lambda",
        List.of(F64),
        Domain.SMALL,
        Tolerance.EQUAL,
        (a, x) -> reduce(ReductionTest.<F64>as(a), 0.0, (u, v) -> v != 0 ? v : u, x),
        row -> lastNonZero(row));
    several(
        "last non-zero by lambda",
        List.of(I32),
        Domain.SMALL,
        Tolerance.EQUAL,
        (a, x) -> reduce(ReductionTest.<I32>as(a), 0, (u, v) -> v != 0 ? v : u, x),
        row -> lastNonZero(row));
    several(
        "last non-zero by lambda",
        List.of(I64),
        Domain.SMALL,
        Tolerance.EQUAL,
        (a, x) -> reduce(ReductionTest.<I64>as(a), 0L, (u, v) -> v != 0 ? v : u, x),
        row -> lastNonZero(row));
    several(
        "largest by lambda",
        List.of(I64),
        Domain.ANY,
        Tolerance.EQUAL,
        (a, x) -> reduce(ReductionTest.<I64>as(a), Long.MIN_VALUE, (u, v) -> Math.max(u, v), x),
        row -> row.length == 0 ? Long.MIN_VALUE : maxOf(row));
    // Fused: what is before the reduction, what is after it, and the input once more.
    several(
        "map, reduction, map",
        FLOATS,
        Domain.SMALL,
        Tolerance.EQUAL,
        (a, x) -> sum(a.times(a).plus(1), x),
        row -> DoubleStream.of(row).map(v -> v * v + 1).sum());
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static <T> Expr<T> as(Expr<?> e) {
    return (Expr) e;
  }
}
