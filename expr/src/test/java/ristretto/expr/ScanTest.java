package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleBinaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.AxesCase.Rule;
import ristretto.expr.OpCase.Domain;

/** Running sums, products, maxima and minima along every axis. */
class ScanTest {
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

  /** F32 accumulates in F64: a million small steps arrive where they should. */
  @Test
  void longRowsKeepTheirPrecision() {
    int n = 1_000_003;
    Tensor<F32> steps = CPU.full(F32, 0.1f, n);
    float[] sums = CPU.eval(cumSum(steps, 0)).toFloatArray();
    for (int k : new int[] {0, 1, 1000, 65_536, n - 1}) {
      assertThat(sums[k]).as("sum of %s", k + 1).isEqualTo((float) ((k + 1) * (double) 0.1f));
    }
    Tensor<I64> ones = CPU.ones(I64, n);
    assertThat(CPU.eval(cumSum(ones, 0)).toLongArray()).startsWith(1, 2, 3).endsWith(n - 1, n);
  }

  @Test
  void integersWrap() {
    Tensor<I32> x = CPU.tensor(new int[] {Integer.MAX_VALUE, 1, 2});
    assertThat(CPU.eval(cumSum(x, 0)).toIntArray())
        .containsExactly(Integer.MAX_VALUE, Integer.MIN_VALUE, Integer.MIN_VALUE + 2);
    assertThat(CPU.eval(cumProd(x, 0)).toIntArray())
        .containsExactly(Integer.MAX_VALUE, Integer.MAX_VALUE, -2);
  }

  // ---- the table ---------------------------------------------------------------------------

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
