package ristretto.testkit;

import static ristretto.expr.Ops.*;
import static ristretto.testkit.OpCase.Domain.*;
import static ristretto.testkit.Tolerance.*;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleBinaryOperator;
import ristretto.expr.Expr;
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

/** Test cases of cumulative operations, with loops over doubles as oracles. */
final class ScanCases {
  static final List<AxesCase> CASES = new ArrayList<>();

  private ScanCases() {}

  private interface Along {
    Expr<F32> apply(Expr<F32> a, int axis);
  }

  private static void scan(
      String name, List<DType<?>> dtypes, Domain domain, Along ours, DoubleBinaryOperator oracle) {
    scan(name, dtypes, domain, BITS, ours, oracle);
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
    List<DType<?>> all = List.of(F32, F64, I32, I64, F16, I8, U8, I16, U32);
    scan("cumSum", numbers, SMALL, (a, axis) -> cumSum(a, axis), Double::sum);
    scan("cumSum", List.of(I8, U8, I16, U32), FLAG, (a, axis) -> cumSum(a, axis), Double::sum);
    scan("cumSum", floats, SPARSE, (a, axis) -> cumSum(a, axis), Double::sum);
    scan("cumSum", floats, ANY, SEVERAL, (a, axis) -> cumSum(a, axis), Double::sum);
    scan("cumProd", numbers, NEAR_ONE, SEVERAL, (a, axis) -> cumProd(a, axis), (u, v) -> u * v);
    for (Domain domain : List.of(SMALL, SPARSE)) {
      List<DType<?>> dtypes = domain == SMALL ? all : floats;
      scan("cumMax", dtypes, domain, (a, axis) -> cumMax(a, axis), Math::max);
      scan("cumMin", dtypes, domain, (a, axis) -> cumMin(a, axis), Math::min);
    }
    CASES.add(
        new AxesCase(
            "cumSum of a map, and a map of it",
            Rule.ONE,
            numbers,
            SMALL,
            EQUAL,
            (a, axes) -> cumSum(a.times(a), axes[0]).minus(a),
            (v, axes) ->
                v.map(x -> x * x)
                    .rows(row -> running(row, Double::sum), axes[0])
                    .zip(v, (x, y) -> x - y)));
  }
}
