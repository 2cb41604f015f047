package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.AxesCase.Rule;
import ristretto.expr.OpCase.Domain;

/** Sorting and its positions: stable, NaN last, zeros of either sign equal. */
class SortTest {
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

  @Test
  void longRows() {
    for (AxesCase op : CASES) {
      for (DType<?> dtype : List.of(F32, F64)) {
        op.check(CPU, dtype, new long[] {20_011}, TestLayout.CONTIGUOUS, 0);
      }
    }
  }

  @Test
  void extremesOfIntegers() {
    int[] ints = {0, Integer.MIN_VALUE, -1, Integer.MAX_VALUE, 1};
    Tensor<I32> x = CPU.tensor(ints);
    assertThat(CPU.eval(sort(x, 0)).toIntArray())
        .containsExactly(Integer.MIN_VALUE, -1, 0, 1, Integer.MAX_VALUE);
    assertThat(CPU.eval(topK(x, 5, 0)).toIntArray())
        .containsExactly(Integer.MAX_VALUE, 1, 0, -1, Integer.MIN_VALUE);
    long[] longs = {0, Long.MIN_VALUE, (1L << 53) + 1, 1L << 53, Long.MAX_VALUE, -1};
    Tensor<I64> y = CPU.tensor(longs);
    assertThat(CPU.eval(argSort(y, 0)).toLongArray()).containsExactly(1, 5, 0, 3, 2, 4);
    assertThat(CPU.eval(argTopK(y, 6, 0)).toLongArray()).containsExactly(4, 2, 3, 0, 5, 1);
  }

  // ---- the table ---------------------------------------------------------------------------

  private interface Along {
    Expr<?> apply(Expr<F32> a, int axis);
  }

  private static void sorted(String name, Along ours, UnaryOperator<double[]> oracle) {
    for (Domain domain : List.of(Domain.SMALL, Domain.SPARSE, Domain.ANY)) {
      add(name, domain, ours, oracle);
    }
  }

  private static void add(String name, Domain domain, Along ours, UnaryOperator<double[]> oracle) {
    List<DType<?>> all = List.of(F32, F64, I32, I64, F16, BF16, I8, U8, BOOL);
    CASES.add(
        new AxesCase(
            name + " of " + domain,
            Rule.ONE,
            domain == Domain.SMALL ? all : List.of(F32, F64),
            domain,
            Tolerance.BITS,
            (a, axes) -> ours.apply(a, axes[0]),
            (v, axes) -> v.rows(oracle, axes[0])));
  }

  /** Positions in order: by value, both zeros equal, NaN last, then by position. */
  private static int[] order(boolean descending, double... row) {
    Comparator<Integer> byValue = (i, j) -> Double.compare(row[i] + 0.0, row[j] + 0.0);
    return IntStream.range(0, row.length)
        .boxed()
        .sorted(
            Comparator.<Integer, Boolean>comparing(i -> Double.isNaN(row[i]))
                .thenComparing(descending ? byValue.reversed() : byValue)
                .thenComparing(Comparator.naturalOrder()))
        .mapToInt(i -> i)
        .toArray();
  }

  private static double[] picked(int[] order, double... row) {
    return IntStream.of(order).mapToDouble(i -> row[i]).toArray();
  }

  private static double[] positions(int... order) {
    return IntStream.of(order).asDoubleStream().toArray();
  }

  private static int most(Expr<?> a, int axis) {
    return (int) Math.min(3, a.shape().at(Math.floorMod(axis, a.shape().rank())));
  }

  private static double[] first(double... row) {
    return Arrays.copyOf(row, Math.min(3, row.length));
  }

  static {
    sorted("sort", (a, axis) -> sort(a, axis), row -> picked(order(false, row), row));
    sorted("argSort", (a, axis) -> argSort(a, axis), row -> positions(order(false, row)));
    sorted(
        "topK",
        (a, axis) -> topK(a, most(a, axis), axis),
        row -> first(picked(order(true, row), row)));
    sorted(
        "argTopK",
        (a, axis) -> argTopK(a, most(a, axis), axis),
        row -> first(positions(order(true, row))));
    add(
        "sort of a map, and a map of it",
        Domain.SMALL,
        (a, axis) -> sort(a.cast(I64).neg(), axis).times(2),
        row -> picked(order(false, negated(row)), negated(row), 2));
  }

  private static double[] negated(double... row) {
    return DoubleStream.of(row).map(v -> 0 - v).toArray();
  }

  private static double[] picked(int[] order, double[] row, double factor) {
    return IntStream.of(order).mapToDouble(i -> factor * row[i]).toArray();
  }
}
