package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Pair;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;

/** Sums over rows that one kernel makes with what they add up, beside those that each make one. */
class JoinedSumsTest {
  private static final int PROGRAMS = TestDevice.isCpu() ? 150 : 8;

  /** Rows and columns. */
  private static final int[][] SIZES = {
    {0, 17}, {1, 16}, {2, 193}, {37, 15}, {257, 16}, {1031, 17}
  };

  /** Assignments of a recorded body. */
  private interface Body {
    List<Tensor<?>> run(Context ctx, Tensor<F32> x, Tensor<F32> y);
  }

  private static void check(String device, Body body) {
    for (int[] size : SIZES) {
      try (Context direct = Context.open(device);
          Context recorded = Context.open(device)) {
        check(direct, recorded, body, size[0], size[1]);
      }
    }
  }

  private static void check(Context direct, Context recorded, Body body, int rows, int columns) {
    var wanted =
        body.run(direct, matrix(direct, 1, rows, columns), matrix(direct, 2, rows, columns));
    Tensor<F32> x = matrix(recorded, 1, rows, columns);
    Tensor<F32> y = matrix(recorded, 2, rows, columns);
    var got = new ArrayList<Tensor<?>>();
    Program program = recorded.record(() -> got.addAll(body.run(recorded, x, y)));
    for (int k = 0; k < got.size(); k++) {
      String what =
          String.format(Locale.ROOT, "result %d of %d rows, %d columns", k, rows, columns);
      compare(program, what, doubles(got.get(k)), doubles(wanted.get(k)), 1e-5);
    }
  }

  /** With infinities and NaN, of one column each. */
  private static Tensor<F32> matrix(Context ctx, long seed, int rows, int columns) {
    var random = new Random(seed);
    float[] all = new float[rows * columns];
    for (int k = 0; k < all.length; k++) {
      all[k] = random.nextFloat() - 0.4f;
    }
    if (rows > 1 && columns > 4) {
      all[columns + 2] = Float.NaN;
      all[columns + 3] = Float.POSITIVE_INFINITY;
      all[4] = -0f;
    }
    return ctx.tensor(all, rows, columns);
  }

  private static void compare(
      Program program, String what, double[] got, double[] wanted, double tolerance) {
    boolean same = got.length == wanted.length;
    for (int k = 0; k < got.length && same; k++) {
      boolean finite = Double.isFinite(wanted[k]);
      double near = tolerance * Math.max(1, Math.abs(wanted[k]));
      same = finite ? Math.abs(got[k] - wanted[k]) <= near : Double.compare(got[k], wanted[k]) == 0;
    }
    if (!same) {
      assertThat(got).as("%s%n%s", what, program.explain()).containsExactly(wanted);
    }
  }

  private static double[] doubles(Tensor<?> t) {
    return t.context().eval(t.cast(F64)).toDoubleArray();
  }

  private static <T> Expr<T> largest(Expr<T> e) {
    return rows(e) == 0 ? e.reshape(0) : max(e, 0);
  }

  private static long rows(Expr<?> e) {
    return e.shape().dim(0);
  }

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void sumsOfWhatIsWritten(String device) {
    check(
        device,
        (ctx, x, y) -> {
          Tensor<F32> z = ctx.eval(where(y.gt(0), x, 0));
          Tensor<F32> product = ctx.eval(dot(z, fill(F32, 2, z.shape().dim(1))));
          Tensor<F32> sums = ctx.eval(sum(z, 0));
          Tensor<F32> squares = ctx.eval(sum(square(z), 0).div(2));
          Tensor<F32> largest = ctx.eval(largest(z));
          return List.of(z, product, sums, squares, largest);
        });
  }

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void sumsThatElementsNeedAndSumsOfThem(String device) {
    check(
        device,
        (ctx, x, y) -> {
          Tensor<F32> a = ctx.empty(F32, x.shape().dim(1));
          Tensor<F32> b = ctx.empty(F32, x.shape().dim(1));
          ctx.assignAll(Pair.of(a, sum(x, 0)), Pair.of(b, sum(x.times(y), 0)));
          Tensor<F32> other = ctx.eval(x.plus(1));
          Tensor<F32> z = ctx.eval(x.times(rows(x)).minus(a).minus(y.times(b)));
          Tensor<F32> product = ctx.eval(dot(z, a));
          Tensor<F32> c = ctx.eval(sum(z, 0));
          return List.of(a, b, other, z, product, c);
        });
  }

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void sumsOfThreeAxesAndOfRows(String device) {
    check(
        device,
        (ctx, x, y) -> {
          long n = rows(x);
          Tensor<F32> three = ctx.eval(x.times(2).reshape(1, n, 1, x.shape().dim(1)));
          Tensor<F32> all = ctx.eval(sum(three, 0, 1, 2).keepDims());
          Tensor<F32> rows = three.reshape(n, x.shape().dim(1));
          Tensor<F32> squares = ctx.eval(sum(square(rows), 0));
          Tensor<F32> acrossRows = ctx.eval(sum(rows, 1));
          return List.of(three, all, squares, acrossRows);
        });
  }

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void sumsInPlace(String device) {
    check(
        device,
        (ctx, x, y) -> {
          Tensor<F32> b = ctx.eval(fill(F32, 3, x.shape().dim(1)));
          ctx.assignAdd(x, y);
          ctx.assignAdd(b, sum(x, 0));
          ctx.assign(y, x.times(b));
          ctx.assignAdd(b, sum(y, 0));
          ctx.assignMul(x, b);
          ctx.assign(b, sum(x, 0).minus(b));
          return List.of(x, y, b);
        });
  }

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void whatIsWrittenInBetweenStays(String device) {
    check(
        device,
        (ctx, x, y) -> {
          Tensor<F32> z = ctx.eval(x.minus(y));
          Tensor<F32> b = ctx.eval(fill(F32, 2, x.shape().dim(1)));
          Tensor<F32> early = ctx.eval(cumSum(b, 0));
          ctx.assign(b, sum(z, 0));
          ctx.assign(z, cumSum(z, 0));
          Tensor<F32> late = ctx.eval(sum(z, 0));
          ctx.assign(b, cumSum(b.plus(late), 0));
          return List.of(z, b, early, late);
        });
  }

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void sumsOfEachDtype(String device) {
    for (DType<?> dtype : List.of(F64, I32, F16, BF16)) {
      check(device, (ctx, x, y) -> ofDtype(ctx, dtype, x));
    }
  }

  private static <T> List<Tensor<?>> ofDtype(Context ctx, DType<T> dtype, Tensor<F32> x) {
    Tensor<T> z = ctx.eval(where(x.gt(0), x.times(9), 1).cast(dtype));
    Tensor<T> most = ctx.eval(largest(z));
    Tensor<T> wide = ctx.eval(rows(z) == 0 ? z : z.times(most));
    return List.of(z, most, wide);
  }

  // Random programs

  private static final int HEIGHT = 5;
  private static final int WIDTH = 17;

  /** Matrices, and vectors as long as their rows. */
  private record State(Context ctx, List<Tensor<F32>> matrices, List<Tensor<F32>> vectors) {
    static State of(Context ctx, long seed) {
      var matrices = new ArrayList<Tensor<F32>>();
      var vectors = new ArrayList<Tensor<F32>>();
      for (int k = 0; k < 3; k++) {
        matrices.add(ctx.eval(uniform(F32, seed + k, HEIGHT, WIDTH)));
        vectors.add(ctx.eval(uniform(F32, seed + 7 + k, WIDTH)));
      }
      return new State(ctx, matrices, vectors);
    }

    void step(List<Tensor<F32>> made, Random random) {
      Tensor<F32> to = matrices.get(random.nextInt(3));
      Tensor<F32> v = vectors.get(random.nextInt(3));
      Tensor<F32> w = vectors.get(random.nextInt(3));
      Tensor<F32> a = any(made, random);
      Tensor<F32> b = any(made, random);
      switch (random.nextInt(13)) {
        case 0 -> ctx.assign(to, a.times(0.5).plus(b));
        case 1 -> made.add(ctx.eval(a.minus(b.times(v).times(0.1))));
        case 2 -> made.add(ctx.eval(max(max(a, b), v)));
        case 3 -> ctx.assign(v, sum(a, 0).div(HEIGHT));
        case 4 -> ctx.assignAdd(v, sum(a.times(b), 0).div(2 * HEIGHT));
        case 5 -> ctx.assign(v, w.times(0.5).plus(v.times(0.25)));
        case 6 -> {
          if (v != w) {
            ctx.assignAll(Pair.of(v, mean(a, 0)), Pair.of(w, mean(a.minus(v), 0)));
          }
        }
        case 7 -> ctx.assign(to, to.times(w.times(0.5)).minus(a.times(0.5)));
        case 8 -> ctx.assign(to, cumSum(to, 0).times(0.2));
        case 9 -> ctx.assign(to, a.flip(0).minus(v));
        case 10 -> ctx.assign(v, max(a, 0).minus(w));
        case 11 -> ctx.assign(to.slice(range(1, 3)), a.slice(range(2, 4)).times(0.5));
        default -> ctx.assign(v, a.slice(at(2)).plus(w));
      }
    }

    private Tensor<F32> any(List<Tensor<F32>> made, Random random) {
      boolean own = made.isEmpty() || random.nextBoolean();
      return own ? matrices.get(random.nextInt(3)) : made.get(random.nextInt(made.size()));
    }

    void run(long seed) {
      var random = new Random(seed);
      var made = new ArrayList<Tensor<F32>>();
      int steps = 4 + random.nextInt(10);
      for (int k = 0; k < steps; k++) {
        step(made, random);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("ristretto.testkit.TestDevice#all")
  void programsDoWhatTheirAssignmentsDo(String device) {
    for (long seed = 0; seed < PROGRAMS; seed++) {
      try (Context direct = Context.open(device);
          Context recorded = Context.open(device)) {
        State wanted = State.of(direct, seed);
        State got = State.of(recorded, seed);
        long number = seed;
        Program program = recorded.record(() -> got.run(number));
        wanted.run(seed);
        program.run();
        wanted.run(seed);
        String what = "program " + seed;
        for (int k = 0; k < 3; k++) {
          compare(
              program, what, doubles(got.matrices.get(k)), doubles(wanted.matrices.get(k)), 1e-4);
          compare(program, what, doubles(got.vectors.get(k)), doubles(wanted.vectors.get(k)), 1e-4);
        }
      }
    }
  }

  @Test
  void devicesWithoutSuchKernelsMakeTheSumsApart() {
    try (Context ctx = TestDevice.open()) {
      Tensor<F32> x = matrix(ctx, 1, 40, 20);
      Tensor<F32> z = ctx.empty(F32, 40, 20);
      Tensor<F32> s = ctx.empty(F32, 20);
      Program program =
          ctx.recordOnly(() -> {
            ctx.assign(z, x.times(2));
            ctx.assign(s, sum(z, 0));
          });
      assertThat(program.kernelCount()).isEqualTo(TestDevice.isCpu() ? 1 : 2);
    }
  }
}
