package ristretto.testkit;

import static ristretto.expr.Ops.*;
import static ristretto.testkit.ShapedCase.of;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import ristretto.expr.Expr;
import ristretto.expr.type.BF16;
import ristretto.expr.type.DType;
import ristretto.expr.type.F16;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.I8;
import ristretto.expr.type.U8;

/** Test cases of matrix products of every rank. */
final class ProductCases {
  static final List<ShapedCase> CASES = new ArrayList<>();

  private ProductCases() {}

  private static final List<DType<?>> NUMBERS =
      List.of(F32, F64, I32, I64, F16, BF16, I8, U8, I16, U16);

  static long[] s(long... shape) {
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
