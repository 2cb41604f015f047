package ristretto.testkit;

import static ristretto.expr.Ops.*;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleBinaryOperator;
import ristretto.expr.DType;
import ristretto.expr.Expr;
import ristretto.expr.F16;
import ristretto.expr.F32;
import ristretto.expr.F64;
import ristretto.expr.I32;
import ristretto.expr.I64;
import ristretto.expr.I8;
import ristretto.expr.U8;
import ristretto.testkit.AxesCase.Rule;
import ristretto.testkit.OpCase.Domain;

/** Test cases of cumulative operations, with loops over doubles as oracles. */
final class ScanCases {
  static final List<AxesCase> CASES = new ArrayList<>();

  private ScanCases() {}

  private interface Along {
    Expr<F32> apply(Expr<F32> a, int axis);
  }

  private static void scan(
      String name, List<DType<?>> dtypes, Domain domain, Along ours, DoubleBinaryOperator oracle) {
    scan(name, dtypes, domain, Tolerance.BITS, ours, oracle);
  }

  private static void scan(
      String name,
      List<DType<?>> dtypes,
      Domain domain,
      Tolerance tolerance,
      Along ours,
      DoubleBinaryOperator oracle) {
    CASES.add(
        new AxesCase(
            name + " of " + domain,
            Rule.ONE,
            dtypes,
            domain,
            tolerance,
            (a, axes) -> ours.apply(a, axes[0]),
            (v, axes) -> v.rows(row -> running(row, oracle), axes[0])));
  }

  private static double[] running(double[] row, DoubleBinaryOperator oracle) {
    double[] result = row.clone();
    for (int k = 1; k < row.length; k++) {
      result[k] = oracle.applyAsDouble(result[k - 1], row[k]);
    }
    return result;
  }

  static {
    List<DType<?>> floats = List.of(F32, F64);
    List<DType<?>> numbers = List.of(F32, F64, I32, I64);
    List<DType<?>> all = List.of(F32, F64, I32, I64, F16, I8, U8);
    scan("cumSum", numbers, Domain.SMALL, (a, axis) -> cumSum(a, axis), Double::sum);
    scan("cumSum", List.of(I8, U8), Domain.FLAG, (a, axis) -> cumSum(a, axis), Double::sum);
    scan("cumSum", floats, Domain.SPARSE, (a, axis) -> cumSum(a, axis), Double::sum);
    scan(
        "cumSum", floats, Domain.ANY, Tolerance.SEVERAL, (a, axis) -> cumSum(a, axis), Double::sum);
    scan(
        "cumProd",
        numbers,
        Domain.NEAR_ONE,
        Tolerance.SEVERAL,
        (a, axis) -> cumProd(a, axis),
        (u, v) -> u * v);
    for (Domain domain : List.of(Domain.SMALL, Domain.SPARSE)) {
      List<DType<?>> dtypes = domain == Domain.SMALL ? all : floats;
      scan("cumMax", dtypes, domain, (a, axis) -> cumMax(a, axis), Math::max);
      scan("cumMin", dtypes, domain, (a, axis) -> cumMin(a, axis), Math::min);
    }
    CASES.add(
        new AxesCase(
            "cumSum of a map, and a map of it",
            Rule.ONE,
            numbers,
            Domain.SMALL,
            Tolerance.EQUAL,
            (a, axes) -> cumSum(a.times(a), axes[0]).minus(a),
            (v, axes) ->
                v.map(x -> x * x)
                    .rows(row -> running(row, Double::sum), axes[0])
                    .zip(v, (x, y) -> x - y)));
  }
}
