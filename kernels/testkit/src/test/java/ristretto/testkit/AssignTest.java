package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.F16;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.I8;
import ristretto.expr.type.Shape;

/** Every kind of operation written into targets of every layout, whose surroundings stay. */
class AssignTest {
  private static final double AROUND = -99;
  private static final Context DEVICE = TestDevice.open();
  private static final Context ORACLE = Context.open("oracle");

  private static final List<Kind> KINDS = new ArrayList<>();

  /** Expression of a matrix [6, 5] of small whole numbers; the result is any tensor of rank 2. */
  private record Kind(String name, Function<Tensor<F32>, Expr<?>> ours, UnaryOperator<Nd> oracle) {
    @Override
    public String toString() {
      return name;
    }
  }

  /** A target in the middle of other elements. */
  private enum Target {
    WHOLE {
      @Override
      long[] around(long... shape) {
        return shape;
      }

      @Override
      <T> Tensor<T> in(Tensor<T> base, long... shape) {
        return base;
      }
    },
    TRANSPOSED {
      @Override
      long[] around(long... shape) {
        return new long[] {shape[1], shape[0]};
      }

      @Override
      <T> Tensor<T> in(Tensor<T> base, long... shape) {
        return base.t();
      }
    },
    FLIPPED {
      @Override
      long[] around(long... shape) {
        return shape;
      }

      @Override
      <T> Tensor<T> in(Tensor<T> base, long... shape) {
        return base.flip();
      }
    },
    INNER {
      @Override
      long[] around(long... shape) {
        return new long[] {shape[0] + 3, shape[1] + 2};
      }

      @Override
      <T> Tensor<T> in(Tensor<T> base, long... shape) {
        return base.slice(range(1, 1 + shape[0]), range(2, 2 + shape[1]));
      }
    },
    ROWS_APART {
      @Override
      long[] around(long... shape) {
        return new long[] {2 * shape[0] + 1, shape[1]};
      }

      @Override
      <T> Tensor<T> in(Tensor<T> base, long... shape) {
        return base.slice(from(1, 2));
      }
    },
    STEPPED_BACKWARDS {
      @Override
      long[] around(long... shape) {
        return new long[] {shape[1] * 2 + 1, shape[0] * 3};
      }

      @Override
      <T> Tensor<T> in(Tensor<T> base, long... shape) {
        return base.slice(range(1, 2 * shape[1], 2), from(-1, -3)).t();
      }
    },
    PLANE {
      @Override
      long[] around(long... shape) {
        return new long[] {shape[0], 3, shape[1]};
      }

      @Override
      <T> Tensor<T> in(Tensor<T> base, long... shape) {
        return base.slice(all(), at(1));
      }
    },
    LAST_AXIS_APART {
      @Override
      long[] around(long... shape) {
        return new long[] {shape[0], shape[1], 2};
      }

      @Override
      <T> Tensor<T> in(Tensor<T> base, long... shape) {
        return base.slice(all(), all(), at(1));
      }
    };

    abstract long[] around(long... shape);

    abstract <T> Tensor<T> in(Tensor<T> base, long... shape);
  }

  @AfterAll
  static void close() {
    DEVICE.close();
    ORACLE.close();
  }

  static Stream<Kind> kinds() {
    return KINDS.stream();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void intoEveryLayout(Kind kind) {
    Portion portion = TestDevice.portion(KINDS.indexOf(kind));
    for (Context ctx : TestDevice.contexts(DEVICE, ORACLE)) {
      for (TensorLayout layout :
          portion.of(List.of(TensorLayout.CONTIGUOUS, TensorLayout.STEPPED), 1)) {
        Nd v = Nd.build(new long[] {6, 5}, i -> Math.floorMod(7 * i[0] + 5 * i[1] * i[1], 17) - 8);
        Expr<?> expr = kind.ours.apply(layout.tensor(ctx, F32, v));
        for (Target target : portion.of(List.of(Target.values()), 2)) {
          check(ctx, kind, target, expr, kind.oracle.apply(v));
        }
      }
    }
  }

  private static <T> void check(Context ctx, Kind kind, Target target, Expr<T> expr, Nd expected) {
    long[] shape = expected.shape;
    Tensor<T> base = ctx.full(expr.dtype(), AROUND, target.around(shape));
    Tensor<T> into = target.in(base, shape);
    for (int run = 0; run < 2; run++) {
      ctx.assign(into, expr);
      String what = kind + " into " + target + " on " + ctx.device();
      Tolerance.SEVERAL.check(expr.dtype(), expected, NdTensors.read(into), () -> what);
      long untouched = Arrays.stream(NdTensors.read(base).data).filter(v -> v == AROUND).count();
      assertThat(untouched).as(what).isEqualTo(base.shape().size() - into.shape().size());
    }
  }

  // ---- compound assignments ----------------------------------------------------------------

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void compound(String device) {
    Context ctx = device.equals("oracle") ? ORACLE : DEVICE;
    Nd v = Nd.build(new long[] {6, 5}, i -> 1 + i[0] + 3 * i[1]);
    Nd row = Nd.vector(2, -1, 4, 1, 8);
    List<DType<?>> dtypes = List.of(F32, F64, I32, I64, F16, I8);
    for (DType<?> dtype : dtypes) {
      Portion portion = TestDevice.portion(dtypes.indexOf(dtype));
      for (Target target : portion.of(List.of(Target.values()), 1)) {
        compound(ctx, dtype, target, v, row);
      }
    }
  }

  private static <T> void compound(Context ctx, DType<T> dtype, Target target, Nd v, Nd row) {
    Tensor<T> base = ctx.full(dtype, AROUND, target.around(v.shape));
    Tensor<T> into = target.in(base, v.shape);
    Tensor<T> operand = NdTensors.tensor(ctx, dtype, row);
    String what = dtype + " into " + target;
    ctx.assign(into, NdTensors.tensor(ctx, dtype, v));
    ctx.assignAdd(into, operand);
    Nd expected = v.zip(row, Double::sum);
    check(dtype, expected, into, what + " +=");
    ctx.assignMul(into, operand);
    expected = NdTensors.round(dtype, expected.zip(row, (x, y) -> x * y));
    check(dtype, expected, into, what + " *=");
    ctx.assignSub(into, operand.times(2));
    expected = NdTensors.round(dtype, expected.zip(row, (x, y) -> x - 2 * y));
    check(dtype, expected, into, what + " -=");
    ctx.assignDiv(into, operand);
    boolean whole = dtype.isInteger();
    expected = expected.zip(row, (x, y) -> whole ? (int) x / (int) y : x / y);
    check(dtype, expected, into, what + " /=");
    ctx.assignAdd(into, into);
    ctx.assignSub(into, into.flip(0).flip(0));
    check(dtype, v.map(_ -> 0), into, what + " less itself");
    ctx.assign(into, 3);
    check(dtype, v.map(_ -> 3), into, what + " = 3");
    ctx.assign(into, operand.unsqueeze(0));
    check(dtype, row.expand(v.shape), into, what + " of a row");
    long untouched = Arrays.stream(NdTensors.read(base).data).filter(x -> x == AROUND).count();
    assertThat(untouched).as(what).isEqualTo(base.shape().size() - v.data.length);
  }

  private static void check(DType<?> dtype, Nd expected, Tensor<?> actual, String what) {
    Tolerance.EQUAL.check(dtype, expected, NdTensors.read(actual), () -> what);
  }

  /** Accumulating products: the library's own beta where the layout allows, a kernel elsewhere. */
  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void accumulatedProducts(String device) {
    Context ctx = device.equals("oracle") ? ORACLE : DEVICE;
    Nd a = Nd.build(new long[] {6, 7}, i -> i[0] - i[1]);
    Nd b = Nd.build(new long[] {7, 5}, i -> i[0] * i[1] % 5 - 2);
    Nd product = Nd.dot(a, b);
    List<DType<?>> dtypes = List.of(F32, F64, I32);
    for (DType<?> dtype : dtypes) {
      Portion portion = TestDevice.portion(dtypes.indexOf(dtype));
      for (Target target : portion.of(List.of(Target.values()), 2)) {
        accumulated(ctx, dtype, target, a, b, product);
      }
    }
  }

  private static <T> void accumulated(
      Context ctx, DType<T> dtype, Target target, Nd a, Nd b, Nd product) {
    Tensor<T> x = NdTensors.tensor(ctx, dtype, a);
    Tensor<T> y = NdTensors.tensor(ctx, dtype, b);
    Tensor<T> base = ctx.full(dtype, AROUND, target.around(product.shape));
    Tensor<T> into = target.in(base, product.shape);
    ctx.assign(into, 1);
    ctx.assignAdd(into, dot(x, y));
    check(dtype, product.map(v -> 1 + v), into, dtype + " += dot into " + target);
    ctx.assignAdd(into, dot(x, y).times(2));
    check(dtype, product.map(v -> 1 + 3 * v), into, dtype + " += dot * 2 into " + target);
    ctx.assignSub(into, dot(x, y).times(scalar(dtype, 4)));
    check(dtype, product.map(v -> 1 - v), into, dtype + " -= dot * 4 into " + target);
    ctx.assign(into, dot(x, y).plus(into));
    check(dtype, product.map(_ -> 1), into, dtype + " = dot + itself into " + target);
    ctx.assign(into, into.times(5).minus(dot(x, y)));
    check(dtype, product.map(v -> 5 - v), into, dtype + " = 5 * itself - dot into " + target);
    ctx.assignMul(into, dot(x, y));
    check(dtype, product.map(v -> (5 - v) * v), into, dtype + " *= dot into " + target);
    long untouched = Arrays.stream(NdTensors.read(base).data).filter(x1 -> x1 == AROUND).count();
    assertThat(untouched).isEqualTo(base.shape().size() - product.data.length);
  }

  /** Targets of different dtypes and layouts at once, all of which see the old values. */
  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void severalTargets(String device) {
    Context ctx = device.equals("oracle") ? ORACLE : DEVICE;
    Nd v = Nd.build(new long[] {6, 5}, i -> i[0] * 5 + i[1]);
    for (Target target : Target.values()) {
      Tensor<F32> x = NdTensors.tensor(ctx, F32, v);
      Tensor<I64> base = ctx.full(I64, AROUND, target.around(v.shape));
      Tensor<I64> y = target.in(base, v.shape);
      Tensor<BOOL> z = TensorLayout.FLIPPED.tensor(ctx, BOOL, v);
      ctx.assignAll(Pair.of(y, x.cast(I64).times(2)), Pair.of(x, x.plus(1)), Pair.of(z, x.lt(7)));
      check(I64, v.map(e -> 2 * e), y, "y " + target);
      check(F32, v.map(e -> e + 1), x, "x " + target);
      check(BOOL, v.map(e -> e < 7 ? 1 : 0), z, "z " + target);
      ctx.assignAll(
          Pair.of(y, sum(x.cast(I64), 0).plus(y)),
          Pair.of(x, dot(x, fill(F32, 1, 5, 5)).minus(y.cast(F32))));
      Nd sums = v.map(e -> e + 1).sum(0);
      check(I64, sums.zip(v, (s, e) -> s + 2 * e), y, "y again " + target);
      Nd rows = v.map(e -> e + 1).sum(1).reshape(6, 1);
      check(F32, rows.zip(v, (s, e) -> s - 2 * e), x, "x again " + target);
    }
  }

  @Test
  void emptyTargets() {
    Tensor<F32> none = DEVICE.zeros(F32, 0, 3);
    DEVICE.assign(none, DEVICE.ones(F32, 3));
    DEVICE.assignAdd(none, dot(DEVICE.ones(F32, 0, 2), DEVICE.ones(F32, 2, 3)));
    DEVICE.assignAll(Pair.of(none, none.plus(1)), Pair.of(DEVICE.zeros(F32, 0, 3), none));
    DEVICE.assign(DEVICE.ones(F32, 4, 3).slice(range(2, 2)), softmax(none, 1));
    // Reshaped empty ranges may have strides of 0.
    DEVICE.assign(DEVICE.ones(F32, 5).slice(range(2, 2)).reshape(0, 3), none);
    assertThat(none.toFloatArray()).isEmpty();
  }

  // ---- the table ---------------------------------------------------------------------------

  private static void kind(
      String name, Function<Tensor<F32>, Expr<?>> ours, UnaryOperator<Nd> oracle) {
    KINDS.add(new Kind(name, ours, oracle));
  }

  private static double[] running(double... row) {
    double[] sums = row.clone();
    Arrays.parallelPrefix(sums, Double::sum);
    return sums;
  }

  private static double[] sorted(double... row) {
    return Arrays.stream(row).sorted().toArray();
  }

  static {
    kind("copy", a -> a, v -> v);
    kind("map", a -> a.times(2).plus(1), v -> v.map(x -> 2 * x + 1));
    kind("lambda", a -> map(a, x -> x > 0 ? x : 0), v -> v.map(x -> Math.max(x, 0)));
    kind("cast", a -> a.cast(I32), v -> v);
    kind("narrow", a -> a.cast(F16), v -> v);
    kind("row for all", a -> sum(a, 0).plus(a.times(0)), v -> v.sum(0).expand(6, 5));
    kind(
        "column for all",
        a -> sum(a, 1).keepDims().plus(a.times(0)),
        v -> {
          Nd sums = v.sum(1).reshape(6, 1);
          return sums.expand(6, 5);
        });
    kind("sums", a -> sum(a, 1).keepDims(), v -> v.sum(1).reshape(6, 1));
    kind("sums of columns", a -> sum(a, 0).keepDims(), v -> v.sum(0).reshape(1, 5));
    kind(
        "less its maximum",
        a -> a.minus(max(a, 1).keepDims()),
        v -> v.zip(v.max(1).reshape(6, 1), (x, y) -> x - y));
    kind(
        "argMax",
        a -> argMax(a, 1).keepDims(),
        v -> v.reduce(AssignTest::largest, 1).reshape(6, 1));
    kind("cumSum", a -> cumSum(a, 0), v -> v.rows(row -> running(row), 0));
    kind("sort", a -> sort(a, 1), v -> v.rows(row -> sorted(row), 1));
    kind("dot", a -> dot(a, a.t()), v -> Nd.dot(v, v.t()));
    kind(
        "dot and map",
        a -> relu(dot(a.t(), a).minus(1)),
        v -> Nd.dot(v.t(), v).map(x -> Math.max(x - 1, 0)));
    kind("dot of integers", a -> dot(a.cast(I64), a.cast(I64).t()), v -> Nd.dot(v, v.t()));
    kind("concat", a -> concat(1, a, a.times(2)), v -> Nd.concat(1, v, v.map(x -> 2 * x)));
    kind(
        "concat of many",
        a -> concat(0, a, a, a.neg(), a, a, a),
        v -> Nd.concat(0, v, v, v.map(x -> 0 - x), v, v, v));
    kind("reshape", a -> a.t().reshape(15, 2), v -> v.t().reshape(15, 2));
    kind(
        "take",
        a -> take(a, a.context().tensor(new int[] {5, 0, -1}), 0),
        v -> Nd.concat(0, v.slice(0, 5, 1, 1), v.slice(0, 0, 1, 1), v.slice(0, 5, 1, 1)));
    kind(
        "scatterAdd",
        a -> scatterAdd(Shape.of(3, 5), 0, a.context().tensor(new int[] {0, 2, 0, 0, 2, 0}), a),
        v ->
            Nd.build(
                new long[] {3, 5},
                i -> {
                  double at0 = v.at(0, i[1]) + v.at(2, i[1]) + v.at(3, i[1]) + v.at(5, i[1]);
                  return i[0] == 0 ? at0 : i[0] == 2 ? v.at(1, i[1]) + v.at(4, i[1]) : 0;
                }));
    kind(
        "pad",
        a -> padWith(a, 3, 1, 1, 0, 2),
        v ->
            Nd.build(
                new long[] {8, 7},
                i -> i[0] < 1 || i[0] > 6 || i[1] > 4 ? 3 : v.at(i[0] - 1, i[1])));
    kind("diagonals", a -> tril(a).plus(triu(a, 1)), v -> v);
  }

  private static double largest(double... row) {
    int best = 0;
    for (int k = 1; k < row.length; k++) {
      best = row[k] > row[best] ? k : best;
    }
    return best;
  }
}
