package ristretto.symbolic.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F64;
import static ristretto.symbolic.Layers.apply;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.F64;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.kernels.RistrettoException;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Layers;

/** Extents that are inferred are those of every run; others are unknown. */
class ShapeInferenceTest {
  private static Variable<F64> input(long... dims) {
    return Variable.input("x", F64, dims);
  }

  private static Variable<F64> table(long... dims) {
    return Variable.parameter("table", F64, Initializer.zeros(), dims);
  }

  @Test
  void extentsThatFitOthersAreNotGuessed() {
    Variable<F64> x = input(-1, -1, 8);
    Variable<F64> table = table(9, 8);
    Variable<F64> sum =
        apply("sum", F64, v -> v.get(x).plus(v.get(table).slice(Ops.range(0, 6))), x, table);
    assertThat(sum.dims()).isEqualTo(Dims.of(-1, 6, 8));
    Variable<F64> rows =
        apply(
            "positions",
            F64,
            v -> v.get(x).plus(v.get(table).slice(Ops.range(0, v.get(x).shape().dim(1)))),
            x,
            table);
    assertThat(rows.dims()).isEqualTo(Dims.of(-1, -1, 8));
    assertThat(Layers.reshape(input(-1, 8), -1, 16).dims()).isEqualTo(Dims.of(-1, 16));
    assertThat(Layers.reshape(input(-1, 8), -1, 22).dims()).isEqualTo(Dims.of(-1, 22));
    assertThat(Layers.slice(input(-1), Ops.range(0, 6)).dims()).isEqualTo(Dims.of(-1));
    assertThat(input(-1, 5).plus(table(6, 5)).dims()).isEqualTo(Dims.of(6, 5));
    assertThat(input(-1, -1).plus(table(6, 1)).dims()).isEqualTo(Dims.of(6, -1));
    assertThat(Layers.dot(input(-1, -1), table(5, 3)).dims()).isEqualTo(Dims.of(-1, 3));
    assertThat(input(-1, 5).plus(input(-1, 5)).dims()).isEqualTo(Dims.of(-1, 5));
    Variable<F64> q = input(-1, -1, 4);
    assertThat(Layers.attention(q, input(-1, -1, 4), table(1, 7, 3)).dims())
        .isEqualTo(Dims.of(-1, -1, 3));
    assertThat(Layers.concat(1, q, input(-1, -1, 4)).dims()).isEqualTo(Dims.of(-1, -1, 4));
  }

  /** Cost of building a model: evaluations of a formula, which most often fits all extents. */
  @Test
  void formulasAreTriedAFewTimes() {
    assertThat(evaluations(input(3, 8))).isEqualTo(1);
    assertThat(evaluations(input(-1, 8))).isEqualTo(1);
  }

  private static int evaluations(Variable<F64> x) {
    int[] count = {0};
    apply(
        "counted",
        F64,
        v -> {
          count[0]++;
          return v.get(x).times(2);
        },
        x);
    return count[0];
  }

  @Test
  void whatFitsNoExtentIsAnError() {
    Variable<F64> x = input(-1, 3);
    assertThatThrownBy(() -> apply("cut", F64, v -> v.get(x).plus(v.get(x).t()).reshape(7), x))
        .isInstanceOf(ShapeException.class)
        .hasMessageStartingWith("[cut] the inputs must fit the operator; got x f64[?,3]: ");
  }

  /** Shapes of one run. */
  private record Run(List<? extends Variable<?>> inputs, List<Shape> shapes) implements Values {
    @Override
    @SuppressWarnings("unchecked")
    public <T> Expr<T> get(Variable<T> v) {
      Shape shape = shapes.get(inputs.indexOf(v));
      return (Expr<T>) Ops.fill(F64, 0, shape.toArray());
    }

    @Override
    public boolean training() {
      return false;
    }

    @Override
    public Expr<I64> seed() {
      return Ops.scalar(Ops.I64, 0L);
    }
  }

  /** A random formula of some operations, which may need some extents to be equal or divisible. */
  private static Expr<F64> formula(Random random, Values v, List<Variable<F64>> inputs) {
    Expr<F64> e = v.get(inputs.get(0));
    int operations = 1 + random.nextInt(4);
    for (int k = 0; k < operations; k++) {
      Expr<F64> other = v.get(inputs.get(random.nextInt(inputs.size())));
      int kind = random.nextInt(10);
      int axis = random.nextInt(4);
      int number = 1 + random.nextInt(6);
      int rank = e.shape().rank();
      int d = rank == 0 ? 0 : axis % rank;
      if (rank == 0) {
        return e;
      }
      e =
          switch (kind) {
            case 0 -> e.plus(other);
            case 1 -> Ops.dot(e, other);
            case 2 -> Ops.sum(e, d);
            case 3 -> e.reshape(-1, number);
            case 4 -> e.flip(d).unsqueeze(d);
            case 5 -> Ops.concat(d, e, other);
            case 6 -> e.slice(slices(rank, d, number));
            case 7 -> e.swapAxes(0, d);
            case 8 -> Ops.windows(e, number);
            default -> e.shape().dim(d) > 100 ? Ops.pad(e, pads(rank, number)) : e.times(2);
          };
    }
    return e;
  }

  private static ristretto.expr.type.Slice[] slices(int rank, int axis, long to) {
    var all = new ristretto.expr.type.Slice[rank];
    Arrays.fill(all, Ops.all());
    all[axis] = Ops.range(0, to);
    return all;
  }

  private static long[] pads(int rank, long by) {
    long[] all = new long[2 * rank];
    all[0] = by;
    return all;
  }

  @Test
  void inferredShapesAreThoseOfEveryRun() {
    int inferred = 0;
    int runs = 0;
    for (int seed = 0; seed < 4000; seed++) {
      int number = seed;
      var random = new Random(seed);
      var inputs = new ArrayList<Variable<F64>>();
      for (int k = 0; k < 2; k++) {
        long[] dims = new long[1 + random.nextInt(3)];
        Arrays.setAll(dims, _ -> random.nextInt(5) < 2 ? -1 : 1 + random.nextInt(8));
        inputs.add(input(dims));
      }
      Dims dims;
      try {
        dims = Probe.infer("f", v -> formula(new Random(number), v, inputs), inputs);
        inferred++;
      } catch (ShapeException e) {
        continue;
      }
      for (int run = 0; run < 60; run++) {
        var shapes = new ArrayList<Shape>();
        for (Variable<F64> v : inputs) {
          long[] extents = v.dims().toArray();
          for (int d = 0; d < extents.length; d++) {
            extents[d] = v.dims().at(d) == -1 ? extent(random) : extents[d];
          }
          shapes.add(Shape.of(extents));
        }
        Shape real;
        try {
          real = formula(new Random(number), new Run(inputs, shapes), inputs).shape();
        } catch (RistrettoException e) {
          continue;
        }
        if (real.rank() == dims.rank()) {
          runs++;
          assertThat(dims.accepts(real))
              .as("seed %d: %s of %s is not %s", seed, inputs, shapes, real + " but " + dims)
              .isTrue();
        }
      }
    }
    assertThat(inferred).isGreaterThan(1500);
    assertThat(runs).isGreaterThan(30000);
  }

  private static long extent(Random random) {
    return random.nextInt(4) == 0 ? 1 + random.nextInt(500) : 1 + random.nextInt(12);
  }

  /** Dimensions of a reshape follow from its arguments, whatever the unknown dimensions are. */
  @Test
  void reshapesOfUnknownDimensions() {
    assertThat(Layers.reshape(input(-1, 8), -1, 99_991).dims()).isEqualTo(Dims.of(-1, 99_991));
    assertThat(Layers.reshape(input(-1, 8), 4, -1).dims()).isEqualTo(Dims.of(4, -1));
    assertThat(Layers.reshape(input(-1, -1, 8), -1, 2, 16).dims()).isEqualTo(Dims.of(-1, 2, 16));
    assertThat(Layers.reshape(input(-1, 3), 6).dims()).isEqualTo(Dims.of(6));
    assertThatThrownBy(() -> Layers.reshape(input(-1, 3), 7))
        .isInstanceOf(ShapeException.class)
        .hasMessageStartingWith("[reshape] the inputs must fit the operator; got x f64[?,3]: ");
  }
}
