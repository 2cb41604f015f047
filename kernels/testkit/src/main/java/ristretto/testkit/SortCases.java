package ristretto.testkit;

import static ristretto.expr.Ops.*;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import ristretto.expr.Expr;
import ristretto.expr.type.BF16;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.F16;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.I8;
import ristretto.expr.type.U8;
import ristretto.testkit.AxesCase.Rule;
import ristretto.testkit.OpCase.Domain;

/** Test cases of sort and argsort. */
final class SortCases {
  static final List<AxesCase> CASES = new ArrayList<>();

  private SortCases() {}

  private interface Along {
    Expr<?> apply(Expr<F32> a, int axis);
  }

  private static void sorted(String name, Along ours, UnaryOperator<double[]> oracle) {
    for (Domain domain : List.of(Domain.SMALL, Domain.SPARSE, Domain.ANY)) {
      add(name, domain, ours, oracle);
    }
  }

  private static void add(String name, Domain domain, Along ours, UnaryOperator<double[]> oracle) {
    List<DType<?>> all = List.of(F32, F64, I32, I64, F16, BF16, I8, U8, I16, U32, BOOL);
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

  /** Positions in sorted order: by value, both zeros equal, NaN last, then by position. */
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
    return (int) Math.min(3, a.shape().toArray()[Math.floorMod(axis, a.shape().rank())]);
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
