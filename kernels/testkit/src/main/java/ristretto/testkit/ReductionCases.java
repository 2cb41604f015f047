package ristretto.testkit;

import static ristretto.expr.Ops.*;
import static ristretto.testkit.OpCase.Domain.*;
import static ristretto.testkit.Tolerance.*;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
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

/** Test cases of every reduction, with loops over doubles as oracles. */
final class ReductionCases {
  private static final List<DType<?>> FLOATS = List.of(F32, F64);
  private static final List<DType<?>> NUMBERS = List.of(F32, F64, I32, I64);
  private static final List<DType<?>> ALL =
      List.of(F32, F64, I32, I64, F16, BF16, I8, U8, I16, U32);
  private static final List<DType<?>> FLAGS = List.of(BOOL, F32, F64, I32, I64, U8);
  static final List<AxesCase> CASES = new ArrayList<>();

  private ReductionCases() {}

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

  /**
   * Position of the first NaN if {@code best} is NaN, else of the first element equal to {@code
   * best}.
   */
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
    several("sum", ALL, SMALL, EQUAL, (a, x) -> sum(a, x), row -> sumOf(row));
    several("sum", FLOATS, ANY, REDUCTION, (a, x) -> sum(a, x), row -> sumOf(row));
    several("sum", FLOATS, SPARSE, EQUAL, (a, x) -> sum(a, x), row -> sumOf(row));
    several(
        "prod",
        NUMBERS,
        NEAR_ONE,
        PRODUCT,
        (a, x) -> prod(a, x),
        row -> DoubleStream.of(row).reduce(1, (u, v) -> u * v));
    nonEmpty("max", ALL, SMALL, EQUAL, (a, x) -> max(a, x), row -> maxOf(row));
    nonEmpty("max", FLOATS, SPARSE, BITS, (a, x) -> max(a, x), row -> maxOf(row));
    nonEmpty("min", ALL, SMALL, EQUAL, (a, x) -> min(a, x), row -> minOf(row));
    nonEmpty("min", FLOATS, SPARSE, BITS, (a, x) -> min(a, x), row -> minOf(row));
    nonEmpty("max", FLOATS, ANY, BITS, (a, x) -> max(a, x), row -> maxOf(row));
    for (Domain domain : List.of(SMALL, ANY, SPARSE)) {
      List<DType<?>> dtypes = domain == SMALL ? ALL : NUMBERS;
      nonEmpty(
          "argMax",
          dtypes,
          domain,
          EQUAL,
          (a, x) -> argMax(a, x),
          row -> position(row, maxOf(row)));
      nonEmpty(
          "argMin",
          dtypes,
          domain,
          EQUAL,
          (a, x) -> argMin(a, x),
          row -> position(row, minOf(row)));
    }
    nonEmpty(
        "argMax",
        List.of(BOOL),
        FLAG,
        EQUAL,
        (a, x) -> argMax(a, x),
        row -> position(row, maxOf(row)));
    several(
        "any",
        FLAGS,
        FLAG,
        EQUAL,
        (a, x) -> any(a, x),
        row -> flag(DoubleStream.of(row).anyMatch(v -> v != 0)));
    several(
        "all",
        FLAGS,
        FLAG,
        EQUAL,
        (a, x) -> all(a, x),
        row -> flag(DoubleStream.of(row).allMatch(v -> v != 0)));
    several("all", NUMBERS, NEAR_ONE, EQUAL, (a, x) -> all(a, x), row -> 1);
    several("countNonZero", FLAGS, FLAG, EQUAL, (a, x) -> countNonZero(a, x), row -> sumOf(row));
    several(
        "countNonZero",
        FLOATS,
        SPARSE,
        EQUAL,
        (a, x) -> countNonZero(a, x),
        row -> DoubleStream.of(row).filter(v -> v != 0).count());
    several("mean", FLOATS, SMALL, SEVERAL, (a, x) -> mean(a, x), row -> meanOf(row));
    several("mean", FLOATS, SPARSE, SEVERAL, (a, x) -> mean(a, x), row -> meanOf(row));
    for (DType<?> half : List.of(F16, BF16)) {
      several("mean", List.of(half), SMALL, HALF, (a, x) -> mean(a, x), row -> meanOf(row));
      several("var", List.of(half), SMALL, HALF, (a, x) -> var(a, x), row -> varOf(row));
      several(
          "logSumExp",
          List.of(half),
          SMALL,
          HALF,
          (a, x) -> logSumExp(a, x),
          row -> logSumExpOf(row));
    }
    several("var", FLOATS, SMALL, VARIANCE, (a, x) -> var(a, x), row -> varOf(row));
    several("var", FLOATS, SPARSE, VARIANCE, (a, x) -> var(a, x), row -> varOf(row));
    several("var", FLOATS, ANY, VARIANCE, (a, x) -> var(a, x), row -> varOf(row));
    several("std", FLOATS, ANY, VARIANCE, (a, x) -> std(a, x), row -> Math.sqrt(varOf(row)));
    several(
        "logSumExp", FLOATS, ANY, CANCELLING, (a, x) -> logSumExp(a, x), row -> logSumExpOf(row));
    several(
        "logSumExp",
        FLOATS,
        SPARSE,
        CANCELLING,
        (a, x) -> logSumExp(a, x),
        row -> logSumExpOf(row));
    several(
        "norm",
        FLOATS,
        ANY,
        SEVERAL,
        (a, x) -> norm(a, x),
        row -> Math.sqrt(DoubleStream.of(row).map(v -> v * v).sum()));
    several(
        "norm1",
        NUMBERS,
        SMALL,
        EQUAL,
        (a, x) -> norm1(a, x),
        row -> DoubleStream.of(row).map(Math::abs).sum());
    nonEmpty(
        "normInf",
        NUMBERS,
        SPARSE,
        EQUAL,
        (a, x) -> normInf(a, x),
        row -> maxOf(DoubleStream.of(row).map(Math::abs).toArray()));
    nonEmpty("ptp", NUMBERS, SPARSE, EQUAL, (a, x) -> ptp(a, x), row -> maxOf(row) - minOf(row));
    several(
        "sum by lambda",
        List.of(F32),
        SMALL,
        EQUAL,
        (a, x) -> reduce(a, 0f, (u, v) -> u + v, x),
        row -> sumOf(row));
    several(
        "last non-zero by lambda",
        List.of(F32),
        SMALL,
        EQUAL,
        (a, x) -> reduce(a, 0f, (u, v) -> v != 0 ? v : u, x),
        row -> lastNonZero(row));
    several(
        "last non-zero by lambda",
        List.of(F64),
        SMALL,
        EQUAL,
        (a, x) -> reduce(ReductionCases.<F64>as(a), 0.0, (u, v) -> v != 0 ? v : u, x),
        row -> lastNonZero(row));
    several(
        "last non-zero by lambda",
        List.of(I32),
        SMALL,
        EQUAL,
        (a, x) -> reduce(ReductionCases.<I32>as(a), 0, (u, v) -> v != 0 ? v : u, x),
        row -> lastNonZero(row));
    several(
        "last non-zero by lambda",
        List.of(I64),
        SMALL,
        EQUAL,
        (a, x) -> reduce(ReductionCases.<I64>as(a), 0L, (u, v) -> v != 0 ? v : u, x),
        row -> lastNonZero(row));
    several(
        "largest by lambda",
        List.of(I64),
        ANY,
        EQUAL,
        (a, x) -> reduce(ReductionCases.<I64>as(a), Long.MIN_VALUE, (u, v) -> Math.max(u, v), x),
        row -> row.length == 0 ? Long.MIN_VALUE : maxOf(row));
    // Fused: the reduction's prologue, its epilogue, and a second read of the input.
    several(
        "map, reduction, map",
        FLOATS,
        SMALL,
        EQUAL,
        (a, x) -> sum(a.times(a).plus(1), x),
        row -> DoubleStream.of(row).map(v -> v * v + 1).sum());
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static <T> Expr<T> as(Expr<?> e) {
    return (Expr) e;
  }
}
