package ristretto.symbolic.optim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static ristretto.expr.Ops.BF16;
import static ristretto.expr.Ops.F16;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.F64;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Initializer;
import ristretto.symbolic.graph.Variable;

/** Optimizers against plain double-precision ones, for parameters of odd sizes in one buffer. */
class OptimizerOracleTest {
  private static final Context CTX = Context.open();

  private static final long[][] SHAPES = {
    {1},
    {7},
    {0},
    {8},
    {9},
    {17},
    {1, 1},
    {1, 7},
    {9, 1},
    {3, 5},
    {8, 17},
    {0, 3},
    {2, 3, 4},
    {3, 1, 7},
    {1, 1, 9},
    {5, 2, 1},
    {2, 2, 2, 3}
  };

  @AfterAll
  static void close() {
    CTX.close();
  }

  /** Model of many parameters, whose gradients are {@code w + sin(k + t)} in step t. */
  private static final class Model<T> {
    final DType<T> dtype;
    final List<Variable<T>> parameters = new ArrayList<>();
    final Variable<T> t;
    final Variable<T> loss;
    final Executor executor;

    Model(DType<T> dtype) {
      this.dtype = dtype;
      this.t = Variable.input("t", dtype);
      Initializer cosine =
          (shape, _) -> Ops.cos(position(shape, F32).times(0.7)).reshape(shape.toArray());
      Variable<T> sum = null;
      for (long[] dims : SHAPES) {
        Variable<T> w = Variable.parameter("p" + parameters.size(), dtype, cosine, dims);
        parameters.add(w);
        Variable<T> term =
            Layers.apply(
                "term",
                dtype,
                x -> {
                  Expr<T> v = x.get(w);
                  Expr<T> sine = Ops.sin(position(v.shape(), dtype).plus(x.get(t))).reshape(dims);
                  return Ops.sum(v.times(v).times(0.5).plus(v.times(sine)));
                },
                w,
                t);
        sum = sum == null ? term : sum.plus(term);
      }
      this.loss = sum;
      this.executor = new Executor(CTX, loss);
    }

    private static <T> Expr<T> position(Shape shape, DType<T> dtype) {
      return Ops.coordinate(Shape.of(shape.size()), 0).cast(dtype);
    }

    void step(int number, Optimizer optimizer) {
      executor.set(t, Ops.scalar(dtype, number));
      executor.step(loss, optimizer);
    }

    double[] values(int parameter) {
      return CTX.eval(executor.tensor(parameters.get(parameter)).cast(F64)).toDoubleArray();
    }

    double[] values() {
      double[] all = new double[0];
      for (int k = 0; k < SHAPES.length; k++) {
        double[] more = values(k);
        int before = all.length;
        all = Arrays.copyOf(all, before + more.length);
        System.arraycopy(more, 0, all, before, more.length);
      }
      return all;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "lion, 1",
    "lamb, 1",
    "adafactor, 1",
    "lion, 2",
    "lamb, 3",
    "adafactor, 2",
  })
  void oddSizes(String kind, int accumulated) {
    var model = new Model<>(F64);
    var oracles = new ArrayList<OptimizerOracle>();
    for (int k = 0; k < SHAPES.length; k++) {
      oracles.add(OptimizerOracle.of(kind, model.values(k), SHAPES[k]));
    }
    Optimizer optimizer = OptimizerOracle.tested(kind);
    Optimizer used = accumulated == 1 ? optimizer : optimizer.accumulate(accumulated);
    for (int update = 0; update < 5; update++) {
      for (int part = 0; part < accumulated; part++) {
        model.step(update * accumulated + part, used);
      }
      for (OptimizerOracle oracle : oracles) {
        double[] g = new double[oracle.w.length];
        for (int part = 0; part < accumulated; part++) {
          for (int k = 0; k < g.length; k++) {
            g[k] += (oracle.w[k] + Math.sin(k + update * accumulated + part)) / accumulated;
          }
        }
        oracle.step(g);
      }
      for (int k = 0; k < SHAPES.length; k++) {
        assertThat(model.values(k))
            .as(Arrays.toString(SHAPES[k]) + " after update " + update)
            .containsExactly(oracles.get(k).w, within(2e-7));
      }
    }
  }

  private static Optimizer resumed(String kind) {
    return switch (kind) {
      case "adam" -> Optimizer.adam(0.02);
      case "average" -> Optimizer.lamb(0.02).average(0.9).clip(2);
      default -> OptimizerOracle.tested(kind);
    };
  }

  /** Saved within an accumulation, with and without mixed precision. */
  @ParameterizedTest
  @CsvSource({
    "lion, f32, 1", "lamb, f32, 1", "adafactor, f32, 1", "average, f32, 1",
    "lion, f32, 3", "lamb, f32, 3", "adafactor, f32, 3", "average, f32, 3",
    "lion, bf16, 1", "lamb, bf16, 3", "adafactor, bf16, 3", "adam, bf16, 3",
    "lion, f16, 3", "lamb, f16, 1", "adafactor, f16, 3", "adam, f16, 3",
  })
  void resumedTrainingGivesTheSameBits(
      String kind, String dtype, int accumulated, @TempDir Path folder) {
    Path file = folder.resolve("m.safetensors");
    var whole = model(dtype);
    Optimizer one = resumed(kind).accumulate(accumulated);
    for (int k = 0; k < 10; k++) {
      if (k == 4) {
        whole.executor.save(file);
      }
      whole.step(k, one);
    }
    var resumed = model(dtype);
    resumed.executor.restore(file);
    Optimizer other = resumed(kind).accumulate(accumulated);
    for (int k = 4; k < 10; k++) {
      resumed.step(k, other);
    }
    assertThat(resumed.values()).containsExactly(whole.values());
  }

  private static Model<?> model(String dtype) {
    var model = new Model<>(F32);
    if (!dtype.equals("f32")) {
      model.executor.mixedPrecision(dtype.equals("f16") ? F16 : BF16);
    }
    return model;
  }

  /** Two optimizers of one executor accumulate apart, also after a checkpoint in between. */
  @ParameterizedTest
  @ValueSource(strings = {"lion", "lamb", "adafactor"})
  void twoOptimizersAccumulateApart(String kind, @TempDir Path folder) {
    Path file = folder.resolve("m.safetensors");
    var both = new Model<>(F64);
    var first = new Model<>(F64);
    var second = new Model<>(F64);
    Optimizer low = low(kind);
    Optimizer high = high(kind);
    Optimizer lowAlone = low(kind);
    Optimizer highAlone = high(kind);
    for (int k = 0; k < 7; k++) {
      if (k == 3) {
        both.executor.save(file);
        both = new Model<>(F64);
        both.executor.restore(file);
        low = low(kind);
        high = high(kind);
      }
      both.step(k, k < 3 ? low : high);
      both.step(k, k < 3 ? high : low);
      first.step(k, lowAlone);
      second.step(k, highAlone);
    }
    for (int k = 0; k < SHAPES.length; k++) {
      assertThat(both.values(k)).containsExactly((k < 10 ? first : second).values(k));
    }
  }

  private static Optimizer low(String kind) {
    return OptimizerOracle.tested(kind).only(v -> v.name().length() == 2).accumulate(2);
  }

  private static Optimizer high(String kind) {
    return OptimizerOracle.tested(kind).only(v -> v.name().length() == 3).accumulate(3);
  }
}
