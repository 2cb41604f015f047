package ristretto.expr.dim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.F64;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;
import ristretto.kernels.RistrettoException;
import ristretto.kernels.ShapeException;

/** Shapes of unknown dimensions are those of every known one. */
class DimTest {
  private static Expr<F64> input(long... dims) {
    return Ops.fill(Ops.F64, 0, dims);
  }

  private static Slice slice(Random random) {
    long start = random.nextInt(15) - 7;
    long stop = random.nextInt(15) - 7;
    long step = 1 + random.nextInt(3);
    return switch (random.nextInt(6)) {
      case 0 -> Ops.range(start, stop);
      case 1 -> Ops.range(start, stop, step);
      case 2 -> Ops.range(start, stop, -step);
      case 3 -> Ops.from(start, step);
      case 4 -> Ops.from(start, -step);
      default -> Ops.all();
    };
  }

  /** A random chain of operations on {@code [n, m, 4]} and {@code [n, 3]}. */
  private static Expr<F64> chain(Random random, long n, long m) {
    Expr<F64> a = input(n, m, 4);
    Expr<F64> b = input(n, 3);
    for (int k = 0; k < 4; k++) {
      int rank = a.shape().rank();
      int d = rank == 0 ? 0 : random.nextInt(rank);
      Slice slice = slice(random);
      long number = 1 + random.nextInt(4);
      int kind = random.nextInt(14);
      if (rank == 0) {
        return a;
      }
      a =
          switch (kind) {
            case 0 -> a.reshape(-1, number);
            case 1 -> a.flatten();
            case 2 -> a.slice(d == 0 ? new Slice[] {slice} : new Slice[] {Ops.all(), slice});
            case 3 -> Ops.concat(d, a, a, a);
            case 4 -> Ops.mean(a, d).keepDims().times(a);
            case 5 -> Ops.windows(a, new long[] {number}, new long[] {2}, new long[] {1});
            case 6 -> Ops.pad(a, number, 1).flip(d);
            case 7 -> Ops.dot(a.reshape(-1, number), a.reshape(number, -1));
            case 8 -> Ops.dot(a.flatten().unsqueeze(0), a.flatten().unsqueeze(1));
            case 9 -> a.unsqueeze(d).plus(a.unsqueeze(d).swapAxes(d, d + 1));
            case 10 -> Ops.diff(a, d);
            case 11 -> Ops.take(a, Ops.argMax(b, 1), d);
            case 12 -> Ops.repeat(Ops.split(a, (int) number, d).get(0), number, d);
            default -> Ops.gradient(Ops.sum(a.times(a)), a);
          };
    }
    return a;
  }

  @Test
  void inferredShapesAreThoseOfKnownDimensions() {
    int compared = 0;
    for (int seed = 0; seed < 3000; seed++) {
      int number = seed;
      var unknown = new UnknownDims();
      List<Dim> inferred = new ArrayList<>();
      try {
        unknown.call(() -> {
          long n = unknown.symbol();
          long m = unknown.symbol();
          for (long dim : chain(new Random(number), n, m).shape().extents()) {
            inferred.add(UnknownDims.of(dim));
          }
          return null;
        });
      } catch (ShapeException e) {
        inferred.clear();
      }
      for (long n : new long[] {1, 2, 3, 4, 6, 12}) {
        for (long m : new long[] {1, 2, 3, 5, 8, 24}) {
          Shape known;
          try {
            known = chain(new Random(number), n, m).shape();
          } catch (RistrettoException e) {
            continue;
          }
          compared++;
          LongUnaryOperator sizes = k -> k == 0 ? n : m;
          long[] found = new long[inferred.size()];
          for (int d = 0; d < found.length; d++) {
            try {
              found[d] = inferred.get(d).at(s -> sizes.applyAsLong(s.number()));
            } catch (ArithmeticException e) {
              found[d] = -1;
            }
          }
          assertThat(found).as("seed %d, %d, %d", seed, n, m).isEqualTo(known.extents());
        }
      }
      assertThat(unknown.wasRead()).isFalse();
    }
    assertThat(compared).isGreaterThan(10_000);
  }

  @Test
  void javaArithmeticIsFound() {
    var unknown = new UnknownDims();
    unknown.call(() -> {
      long n = unknown.symbol();
      long m = unknown.symbol();
      Shape shape = input(n, m, 8).shape();
      long a = shape.dim(0);
      long b = shape.dim(1);
      for (long number : new long[] {a + 3, 2 * a - 1, a * b, 8 * a * b, a / 2, b - a, a + b}) {
        long expected = arithmetic(number, a, b);
        assertThat(UnknownDims.of(number).at(s -> s.number() == 0 ? 12 : 31)).isEqualTo(expected);
      }
      assertThatThrownBy(() -> UnknownDims.of(a * a * a)).isInstanceOf(ShapeException.class);
      return null;
    });
    assertThat(unknown.wasRead()).isTrue();
  }

  private static long arithmetic(long number, long a, long b) {
    long[] handles = {a + 3, 2 * a - 1, a * b, 8 * a * b, a / 2, b - a, a + b};
    long[] values = {15, 23, 12 * 31, 8 * 12 * 31, 6, 31 - 12, 12 + 31};
    for (int k = 0; k < handles.length; k++) {
      if (handles[k] == number) {
        return values[k];
      }
    }
    throw new AssertionError();
  }

  @Test
  void dimensionsThatMustBeEqualAreSolvedFor() {
    long sum =
        UnknownDims.solve(() -> {
          UnknownDims unknown = UnknownDims.current();
          long n = unknown.symbol();
          long m = unknown.symbol();
          Expr<F64> product = Ops.dot(input(2, n), input(m, 3));
          assertThat(product.shape()).isEqualTo(Shape.of(2, 3));
          Expr<F64> both = Ops.concat(0, input(n, 5), input(m, 5));
          return UnknownDims.of(both.shape().extents()[0]).at(s -> 7);
        });
    assertThat(sum).isEqualTo(14);
  }
}
