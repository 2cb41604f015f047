package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;
import static ristretto.expr.ShapedCase.of;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.OpCase.Domain;

/** Matrix products of every rank, layout and dtype, and what fuses with them. */
class ProductTest {
  private static final Context CPU = Context.open("cpu");
  private static final Context ORACLE = Context.open("oracle");

  private static final List<ShapedCase> CASES = new ArrayList<>();

  @AfterAll
  static void close() {
    CPU.close();
    ORACLE.close();
  }

  static Stream<ShapedCase> cases() {
    return CASES.stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void agreesWithTheOracle(ShapedCase op) {
    op.check(CPU);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void plansKeepTheRules(ShapedCase op) {
    op.checkLayouts(ORACLE);
  }

  /** Every pair of layouts: transposed, flipped, stepped and repeated operands. */
  @Test
  void everyPairOfLayouts() {
    ShapedCase product = CASES.getFirst();
    List<List<long[]>> shapes =
        List.of(of(s(5, 7), s(7, 3)), of(s(2, 5, 7), s(2, 7, 3)), of(s(7), s(7, 3)));
    for (TestLayout left : TestLayout.values()) {
      for (TestLayout right : TestLayout.values()) {
        for (List<long[]> shape : shapes) {
          for (DType<?> dtype : List.of(F32, F64, I64)) {
            product.op().check(CPU, dtype, List.of(left, right), shape);
          }
          product.op().check(ORACLE, F32, List.of(left, right), shape);
        }
      }
    }
  }

  /** No whole numbers, and sums that cancel. */
  @Test
  void largeProducts() {
    ShapedCase product = CASES.getFirst();
    for (DType<?> dtype : List.of(F32, F64)) {
      new OpCase(
              "dot",
              List.of(dtype),
              Domain.ANY,
              new Tolerance(8, 1e-6, 100),
              2,
              product.op().ours(),
              product.op().oracle())
          .check(CPU, dtype, List.of(TestLayout.CONTIGUOUS), of(s(67, 131), s(131, 71)));
      product.op().check(CPU, dtype, List.of(TestLayout.TRANSPOSED), of(s(129, 67), s(67, 127)));
      product.op().check(CPU, dtype, List.of(TestLayout.CONTIGUOUS), of(s(3, 1031), s(1031, 2)));
    }
  }

  @Test
  void notANumberStaysOne() {
    Tensor<F32> a = CPU.tensor(new float[] {Float.NaN, 1, 2, Float.POSITIVE_INFINITY}, 2, 2);
    Tensor<F32> b = CPU.tensor(new float[] {0, 1, 0, 1}, 2, 2);
    float[] c = CPU.eval(dot(a, b)).toFloatArray();
    assertThat(c[0]).isNaN();
    assertThat(c[1]).isNaN();
    assertThat(c[2]).isNaN();
    assertThat(c[3]).isEqualTo(Float.POSITIVE_INFINITY);
  }

  /** What the target held plays no part, even if it is no number. */
  @Test
  void theTargetsOldValuesPlayNoPart() {
    Tensor<F32> a = CPU.ones(F32, 3, 2);
    Tensor<F32> c = CPU.full(F32, Double.NaN, 3, 3);
    CPU.assign(c, dot(a, a.t()));
    assertThat(c.toFloatArray()).containsOnly(2);
    CPU.assign(c, Double.NaN);
    CPU.assign(c, dot(a, a.t()).times(0.5).plus(1));
    assertThat(c.toFloatArray()).containsOnly(2);
    CPU.assign(c, Double.NaN);
    CPU.assign(c, dot(CPU.ones(F32, 3, 0), CPU.ones(F32, 0, 3)));
    assertThat(c.toFloatArray()).containsOnly(0);
    CPU.assignAdd(c, dot(CPU.ones(F32, 3, 0), CPU.ones(F32, 0, 3)));
    assertThat(c.toFloatArray()).containsOnly(0);
  }

  // ---- the table ---------------------------------------------------------------------------

  private static final List<DType<?>> NUMBERS = List.of(F32, F64, I32, I64, F16, BF16, I8, U8);

  private static long[] s(long... shape) {
    return shape;
  }

  private static void product(
      String name,
      List<List<long[]>> shapes,
      Function<List<Expr<F32>>, Expr<?>> ours,
      Function<List<Nd>, Nd> oracle) {
    CASES.add(ShapedCase.exact(name, List.of(F32, F64, I64), shapes, ours, oracle));
  }

  static {
    var shapes =
        new ArrayList<>(
            List.of(
                of(s(5), s(5)),
                of(s(1), s(1)),
                of(s(0), s(0)),
                of(s(5), s(5, 3)),
                of(s(3, 5), s(5)),
                of(s(0), s(0, 3)),
                of(s(2, 3, 5), s(5)),
                of(s(5), s(2, 5, 3)),
                of(s(2, 3, 5), s(5, 4)),
                of(s(3, 5), s(2, 5, 4)),
                of(s(2, 3, 5), s(2, 5, 4)),
                of(s(2, 1, 3, 5), s(4, 5, 2)),
                of(s(2, 1, 3, 5), s(1, 4, 5, 2)),
                of(s(0, 3, 5), s(5, 4)),
                of(s(0, 3, 5), s(0, 5, 4)),
                of(s(2, 3, 0), s(0, 4)),
                of(s(2, 0, 5), s(2, 5, 4))));
    for (long m : new long[] {0, 1, 2, 15, 17}) {
      for (long k : new long[] {0, 1, 16, 31}) {
        for (long n : new long[] {0, 1, 3, 33}) {
          shapes.add(of(s(m, k), s(k, n)));
        }
      }
    }
    CASES.add(
        ShapedCase.exact(
            "dot",
            NUMBERS,
            shapes,
            in -> dot(in.get(0), in.get(1)),
            in -> Nd.dot(in.get(0), in.get(1))));
    List<List<long[]>> matrices =
        List.of(of(s(5, 7), s(7, 3)), of(s(1, 17), s(17, 1)), of(s(2, 3, 4), s(4, 5)));
    product(
        "matmul of maps",
        matrices,
        in -> matmul(in.get(0).times(2), in.get(1).plus(1)),
        in -> Nd.dot(in.get(0).map(v -> 2 * v), in.get(1).map(v -> v + 1)));
    product(
        "map of dot",
        matrices,
        in -> relu(dot(in.get(0), in.get(1)).minus(3)).times(2),
        in -> Nd.dot(in.get(0), in.get(1)).map(v -> 2 * Math.max(v - 3, 0)));
    product(
        "number times dot",
        matrices,
        in -> dot(in.get(0), in.get(1)).times(3),
        in -> Nd.dot(in.get(0), in.get(1)).map(v -> 3 * v));
    product(
        "dot of transposes",
        List.of(of(s(5, 7), s(3, 5)), of(s(1, 1), s(1, 1)), of(s(17, 2), s(1, 17))),
        in -> dot(in.get(0).t(), in.get(1).t()),
        in -> Nd.dot(in.get(0).t(), in.get(1).t()));
    product(
        "dot of one matrix with itself",
        List.of(of(s(5, 7)), of(s(1, 3)), of(s(17, 2))),
        in -> dot(in.get(0), in.get(0).t()),
        in -> Nd.dot(in.get(0), in.get(0).t()));
    product(
        "dot of slices",
        List.of(of(s(6, 8), s(8, 7))),
        in ->
            dot(
                in.get(0).slice(from(0, 2), from(1, 2)).flip(0),
                in.get(1).slice(range(4, 8), from(-1, -3))),
        in ->
            Nd.dot(
                in.get(0).slice(0, 0, 2, 3).slice(1, 1, 2, 4).flip(0),
                in.get(1).slice(0, 4, 1, 4).slice(1, 6, -3, 3)));
    product(
        "dot plus bias, row and column",
        List.of(of(s(5, 7), s(7, 5), s(5), s(5, 1))),
        in -> dot(in.get(0), in.get(1)).plus(in.get(2)).minus(in.get(3)),
        in ->
            Nd.dot(in.get(0), in.get(1))
                .zip(in.get(2), Double::sum)
                .zip(in.get(3), (x, y) -> x - y));
    product(
        "dot plus residual",
        List.of(of(s(5, 7), s(7, 3), s(5, 3)), of(s(2, 5, 7), s(2, 7, 3), s(5, 3))),
        in -> in.get(2).plus(dot(in.get(0), in.get(1)).times(2)),
        in -> Nd.dot(in.get(0), in.get(1)).map(v -> 2 * v).zip(in.get(2), Double::sum));
    product(
        "two products",
        List.of(of(s(5, 7), s(7, 3), s(5, 2), s(2, 3))),
        in -> dot(in.get(0), in.get(1)).minus(dot(in.get(2), in.get(3))),
        in -> Nd.dot(in.get(0), in.get(1)).zip(Nd.dot(in.get(2), in.get(3)), (x, y) -> x - y));
    product(
        "product of products",
        List.of(of(s(5, 7), s(7, 3), s(3, 4))),
        in -> dot(dot(in.get(0), in.get(1)), in.get(2)),
        in -> Nd.dot(Nd.dot(in.get(0), in.get(1)), in.get(2)));
    product(
        "sums of dot",
        matrices,
        in -> sum(dot(in.get(0), in.get(1)).plus(1), -1),
        in -> {
          Nd c = Nd.dot(in.get(0), in.get(1)).map(v -> v + 1);
          return c.sum(c.rank() - 1);
        });
    product(
        "dot of sums",
        List.of(of(s(5, 7), s(5, 3))),
        in -> dot(sum(in.get(0), 1), in.get(1)),
        in -> Nd.dot(in.get(0).sum(1), in.get(1)));
    product(
        "view of dot",
        List.of(of(s(5, 7), s(7, 4))),
        in -> dot(in.get(0), in.get(1)).t().slice(from(0, 2)).reshape(10),
        in -> Nd.dot(in.get(0), in.get(1)).t().slice(0, 0, 2, 2).reshape(10));
    product(
        "shared dot",
        List.of(of(s(5, 7), s(7, 5))),
        in -> {
          Expr<F32> c = dot(in.get(0), in.get(1));
          return c.plus(c.t());
        },
        in -> {
          Nd c = Nd.dot(in.get(0), in.get(1));
          return c.zip(c.t(), Double::sum);
        });
    CASES.add(
        ShapedCase.exact(
            "outer",
            NUMBERS,
            List.of(of(s(5), s(3)), of(s(2, 3), s(17)), of(s(), s(4)), of(s(0), s(3))),
            in -> outer(in.get(0), in.get(1)),
            in -> {
              Nd a = in.get(0).reshape(in.get(0).data.length, 1);
              return a.zip(in.get(1).reshape(1, in.get(1).data.length), (x, y) -> x * y);
            }));
  }
}
