package ristretto.symbolic.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.I32;
import static ristretto.expr.Ops.at;
import static ristretto.expr.Ops.from;
import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.uniform;
import static ristretto.symbolic.Layers.*;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.expr.type.PaddingMode;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.Executor;
import ristretto.symbolic.Layers;
import ristretto.symbolic.graph.Formula;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.layers.BatchNorm;
import ristretto.symbolic.layers.Conv;
import ristretto.symbolic.layers.ConvTranspose;
import ristretto.symbolic.layers.Dense;
import ristretto.symbolic.layers.Embedding;
import ristretto.symbolic.layers.InstanceNorm;
import ristretto.symbolic.layers.RmsNorm;
import ristretto.symbolic.layers.Summary;
import ristretto.symbolic.layers.Window;

/** Every layer in ONNX Runtime, with extents that the file does not know. */
class OnnxTest {
  private static final Context CTX = Context.open();
  private static final double TOLERANCE = 2e-5;

  @TempDir Path folder;

  @AfterAll
  static void close() {
    CTX.close();
  }

  private record Case(String name, Function<Variable<F32>, Variable<?>> layer, long... shape) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> cases() {
    var all = new ArrayList<Case>();
    all.add(new Case("relu", Layers::relu, 3, 4));
    all.add(new Case("sigmoid", Layers::sigmoid, 3, 4));
    all.add(new Case("tanh", Layers::tanh, 3, 4));
    all.add(new Case("leakyRelu", v -> leakyRelu(v, 0.1), 3, 4));
    all.add(new Case("elu", Layers::elu, 3, 4));
    all.add(new Case("gelu", Layers::gelu, 3, 4));
    all.add(new Case("silu", Layers::silu, 3, 4));
    all.add(new Case("softplus", Layers::softplus, 3, 4));
    all.add(new Case("softmax", v -> softmax(v, 1), 3, 4));
    all.add(new Case("softmax over the batch", v -> softmax(v, 0), 3, 4));
    all.add(new Case("logSoftmax", v -> logSoftmax(v, 1), 3, 4));
    all.add(new Case("dense", v -> dense("d", v, 2), 3, 4));
    all.add(new Case("dense of rank 3", v -> dense("d", v, 2), 2, 3, 4));
    all.add(new Case("dot", v -> dot(v, permute(v, 1, 0)), 3, 4));
    all.add(new Case("dot of batches", v -> dot(v, permute(v, 0, 2, 1)), 3, 2, 4));
    all.add(new Case("conv", v -> conv("c", v, 3, Window.of(2, 3)), 2, 3, 5, 6));
    all.add(
        new Case(
            "conv with everything",
            v -> conv("c", v, 4, Window.of(3, 2).stride(2, 1).padding(1, 2).dilation(1, 2), 2),
            2,
            4,
            5,
            6));
    all.add(new Case("conv of sequences", v -> conv("c", v, 3, Window.of(3).stride(2)), 2, 3, 8));
    for (PaddingMode mode : PaddingMode.values()) {
      all.add(
          new Case(
              "conv padded with " + mode,
              v -> new Conv("c", 2, Window.of(4, 3).padding(2, 1)).paddingMode(mode).of(v),
              2,
              3,
              6,
              5));
    }
    all.add(
        new Case("conv of the same extents", v -> conv("c", v, 2, Window.of(4).same()), 2, 3, 6));
    all.add(new Case("argMax", v -> argMax(v, 1), 3, 4));
    all.add(new Case("maxPool", v -> maxPool(v, Window.of(2, 2).stride(2, 2)), 2, 3, 4, 6));
    all.add(new Case("maxPool overlapping", v -> maxPool(v, Window.of(3).padding(1)), 2, 3, 7));
    all.add(
        new Case("averagePool", v -> averagePool(v, Window.of(2, 2).padding(1, 0)), 2, 3, 4, 6));
    all.add(
        new Case(
            "conv without bias",
            v -> new Conv("c", 3, Window.of(2, 3)).bias(false).of(v),
            2,
            3,
            5,
            6));
    all.add(
        new Case(
            "transposed conv",
            v ->
                new ConvTranspose("t", 4, Window.of(3, 2).stride(2, 3).padding(1, 0))
                    .groups(2)
                    .outputPadding(1, 2)
                    .of(v),
            2,
            4,
            4,
            3));
    all.add(new Case("dense without bias", v -> new Dense("d", 2).bias(false).of(v), 3, 4));
    all.add(new Case("plain batchNorm", v -> new BatchNorm("n").affine(false).of(v), 5, 3));
    all.add(new Case("rmsNorm", v -> new RmsNorm("n").of(v), 3, 4));
    all.add(new Case("instanceNorm", v -> new InstanceNorm("n").affine(true).of(v), 2, 4, 3));
    all.add(new Case("logits of a table", v -> new Embedding("e", 5, 4).logits(v), 2, 3, 4));
    all.add(new Case("layerNorm", v -> layerNorm("n", v), 3, 4));
    all.add(new Case("batchNorm", v -> batchNorm("n", v), 5, 3));
    all.add(new Case("batchNorm of images", v -> batchNorm("n", v), 2, 3, 4, 2));
    all.add(new Case("groupNorm", v -> groupNorm("n", v, 2), 2, 4, 3));
    all.add(new Case("attention", v -> attention(v, tanh(v), v.times(v)), 2, 4, 3));
    all.add(new Case("attention to the batch", v -> attention(v, v, v), 4, 3));
    all.add(new Case("causal", v -> causalAttention(v, tanh(v), v.times(v)), 2, 2, 4, 3));
    all.add(new Case("causal in the batch", v -> causalAttention(v, v, v), 4, 3));
    all.add(new Case("heads", v -> multiHeadAttention("h", v, tanh(v), 2, true), 2, 3, 4));
    all.add(new Case("additive", v -> additiveAttention("a", v, tanh(v), v), 2, 4, 3));
    all.add(new Case("dropout", v -> dropout(v, 0.5), 3, 4));
    all.add(new Case("embedding", v -> embedding("e", numbers(v), 3, 2), 3, 4));
    all.add(new Case("exp", Layers::exp, 3, 4));
    all.add(new Case("log", v -> log(softplus(v)), 3, 4));
    all.add(new Case("sqrt", v -> sqrt(softplus(v)), 3, 4));
    all.add(new Case("square", Layers::square, 3, 4));
    all.add(new Case("abs", Layers::abs, 3, 4));
    all.add(new Case("pow", v -> pow(softplus(v), 2.5), 3, 4));
    all.add(new Case("maximum", v -> maximum(v, tanh(v).neg()), 3, 4));
    all.add(new Case("minimum", v -> minimum(v, tanh(v).neg()), 3, 4));
    all.add(new Case("max", v -> max(v, 1), 3, 4));
    all.add(new Case("min", v -> min(v, 0), 3, 4));
    all.add(new Case("prod", v -> prod(v, 1), 3, 4));
    all.add(new Case("logSumExp", v -> logSumExp(v, 1), 3, 4));
    all.add(new Case("sum", v -> sum(v), 3, 4));
    all.add(new Case("mean of all", v -> mean(v), 3, 4));
    all.add(new Case("mean", v -> mean(v, 0), 3, 4));
    all.add(new Case("take", v -> take(v, numbers(v), 0), 3, 4));
    all.add(new Case("gather", v -> gather(v, places(v), 1), 3, 4));
    all.add(new Case("stack", v -> stack(1, v, tanh(v)), 3, 4));
    all.add(new Case("flatten", Layers::flatten, 3, 2, 2));
    all.add(new Case("concat", v -> concat(1, v, v.times(2), tanh(v)), 3, 4));
    all.add(new Case("concat of the batch", v -> concat(0, v, v, v, v, v), 3, 4));
    all.add(new Case("slice", v -> slice(v, from(1), at(-1)), 3, 4));
    all.add(new Case("slice backwards", v -> slice(v, range(-1, -3, -1), from(3, -2)), 3, 4));
    all.add(new Case("slice by steps", v -> slice(v, from(0, 2), range(1, 3)), 4, 4));
    all.add(new Case("reshape", v -> reshape(v, -1, 2), 3, 4));
    all.add(new Case("arithmetic", v -> v.plus(1).times(v).minus(v.div(3).neg()).div(v), 3, 4));
    all.add(new Case("huber", v -> huber(v, v.times(v), 0.5), 3, 4));
    all.add(new Case("meanSquaredError", v -> meanSquaredError(v, v.times(v)), 3, 4));
    all.add(new Case("meanAbsoluteError", v -> meanAbsoluteError(v, v.times(3)), 3, 4));
    all.add(new Case("binaryCrossEntropy", v -> binaryCrossEntropy(v, sigmoid(v.neg())), 3, 4));
    all.add(new Case("softmaxCrossEntropy", v -> softmaxCrossEntropy(v, places0(v)), 3, 4));
    all.add(new Case("softmaxCrossEntropyOf", v -> softmaxCrossEntropyOf(v, softmax(v, 1)), 3, 4));
    all.add(new Case("each", v -> softmaxCrossEntropy(v, places0(v), Summary.NONE), 3, 4));
    all.add(new Case("lambda", OnnxTest::bent, 3, 4));
    all.add(own("analysis", a -> Ops.log1p(Ops.abs(a)).plus(Ops.expm1(a)).plus(Ops.cbrt(a))));
    all.add(own("roots", a -> Ops.hypot(a, a.plus(1)).plus(Ops.exp2(a)).plus(Ops.trunc(a))));
    all.add(own("waves", a -> Ops.sin(a).plus(Ops.cos(a)).plus(Ops.erf(a)).plus(Ops.rint(a))));
    all.add(own("cumSum", a -> Ops.cumSum(a, 1)));
    all.add(own("topK", a -> Ops.topK(a, 2, 1)));
    all.add(own("pad", a -> Ops.padWith(a, 2, 1, 0, 2, 3)));
    all.add(own("logic", a -> Ops.where(a.gt(0).and(a.lt(0.5)).or(a.le(-0.5)), a, a.rem(0.3))));
    all.add(own("any", a -> Ops.any(a.gt(0.5), 1).keepDims().cast(F32).times(a)));
    all.add(own("coordinate", a -> Ops.coordinate(a.shape(), 0).cast(F32).times(a)));
    all.add(own("einsum", a -> Ops.einsum("ij,kj->ik", a, a.plus(1))));
    all.add(own("expand", a -> a.unsqueeze(1).expand(a.shape().dim(0), 2, 4)));
    return all.stream();
  }

  private static Case own(String name, Function<Expr<F32>, Expr<F32>> f) {
    return new Case(name, v -> apply(name, F32, x -> f.apply(x.get(v)), v), 3, 4);
  }

  private static Variable<F32> bent(Variable<F32> v) {
    float slope = 0.5f;
    return apply(
        "bend",
        F32,
        x -> Ops.map(x.get(v), u -> u > 0 ? (float) Math.log1p(u) : slope * u / (1 - u)),
        v);
  }

  private static Variable<I32> numbers(Variable<F32> v) {
    return apply("numbers", I32, x -> x.get(v).slice(Ops.all(), at(0)).gt(0).cast(I32), v);
  }

  private static Variable<I32> places0(Variable<F32> v) {
    return apply("places", I32, x -> x.get(v).slice(Ops.all(), at(0)).gt(0).cast(I32), v);
  }

  private static Variable<I32> places(Variable<F32> v) {
    return apply("places", I32, x -> x.get(v).slice(Ops.all(), range(0, 2)).gt(0).cast(I32), v);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void sameInOnnxRuntime(Case c) throws Exception {
    long[] unknown = c.shape.clone();
    unknown[0] = -1;
    Variable<F32> x = Variable.input("x", F32, unknown);
    Variable<?> y = c.layer.apply(x);
    var executor = new Executor(CTX, 3, y);
    Path file = folder.resolve("model.onnx");
    executor.exportOnnx(file);
    for (long n : new long[] {c.shape[0], c.shape[0] + 4}) {
      long[] dims = c.shape.clone();
      dims[0] = n;
      executor.set(x, uniform(F32, n, dims).minus(0.3).times(2));
      OnnxRun.compare(file, executor, List.of(y), TOLERANCE);
    }
  }

  @Test
  void extentsThatOnlyLongInputsHaveAreNotDeclared() throws Exception {
    Variable<F32> x = Variable.input("x", F32, -1, 3);
    Variable<F32> y = slice(x, range(0, 6));
    var executor = new Executor(CTX, 3, y);
    Path file = folder.resolve("start.onnx");
    executor.exportOnnx(file);
    assertThat(OnnxRun.declared(file, y)).containsExactly(-1, 3);
    for (long n : new long[] {4, 6, 9}) {
      executor.set(x, uniform(F32, n, n, 3));
      OnnxRun.compare(file, executor, List.of(y), TOLERANCE);
    }
  }

  /** Formulas whose sizes follow from the batch in ways that large batches do not show. */
  static Stream<Case> sizes() {
    var all = new ArrayList<Case>();
    all.add(new Case("reshape that divides", v -> reshape(v, -1, 16), 2, 8));
    all.add(new Case("then dense", v -> dense("d", reshape(v, -1, 16), 3).times(2), 2, 8));
    all.add(new Case("mean of the first", v -> mean(slice(v, range(0, 6)), 0), 1, 8));
    all.add(new Case("mean of the last", v -> mean(slice(v, from(-3)), 0), 1, 8));
    all.add(new Case("first, in another shape", v -> reshape(slice(v, range(0, 6)), -1, 4), 1, 8));
    all.add(
        new Case(
            "first beside their sum",
            v -> slice(v, range(0, 3)).times(sum(slice(v, range(0, 5)))),
            1,
            8));
    all.add(new Case("variance", v -> Layers.apply("var", F32, OnnxTest.of(v), v), 2, 8));
    all.add(new Case("backwards", v -> slice(v, from(3, -1)), 1, 8));
    all.add(new Case("every third", v -> mean(slice(v, from(0, 3)), 0), 1, 8));
    all.add(new Case("window", v -> conv("c", reshape(v, 1, 1, -1), 2, Window.of(5)), 1, 8));
    return all.stream();
  }

  private static Formula<F32> of(Variable<F32> v) {
    return x -> Ops.var(x.get(v).slice(range(0, 4)), 0);
  }

  @ParameterizedTest
  @MethodSource("sizes")
  void smallSizesAreAsTheExecutorsOwn(Case c) throws Exception {
    Variable<F32> x = Variable.input("x", F32, -1, c.shape[1]);
    Variable<?> y = c.layer.apply(x);
    var executor = new Executor(CTX, 3, y);
    Path file = folder.resolve("model.onnx");
    executor.exportOnnx(file);
    for (long n : new long[] {1, 2, 3, 4, 5, 6, 7, 8, 12}) {
      if (n % c.shape[0] == 0) {
        executor.set(x, uniform(F32, n, n, c.shape[1]).minus(0.3).times(2));
        OnnxRun.compare(file, executor, List.of(y), TOLERANCE);
      }
    }
  }

  private static Case formula(String name, Function<Expr<F32>, Expr<F32>> f) {
    return new Case(name, v -> apply(name, F32, x -> f.apply(x.get(v)), v));
  }

  /** Formulas of an input {@code [n, t, 4]} with unknown n and t. */
  static Stream<Case> lengths() {
    var all = new ArrayList<Case>();
    all.add(new Case("flatten", Layers::flatten));
    all.add(new Case("rows", v -> dense("d", reshape(v, -1, 4), 3)));
    all.add(new Case("batches beside each other", v -> concat(0, v, v.times(2), v)));
    all.add(new Case("longer", v -> concat(1, slice(v, Ops.all(), range(0, 3)), v)));
    all.add(new Case("heads", v -> multiHeadAttention("h", v, v, 2, true)));
    all.add(new Case("conv", v -> conv("c", permute(v, 0, 2, 1), 3, Window.of(3).stride(2))));
    all.add(
        new Case("max pool", v -> maxPool(permute(v, 0, 2, 1), Window.of(2).stride(3).padding(1))));
    all.add(
        new Case(
            "mean of pools",
            v -> mean(averagePool(permute(v, 0, 2, 1), Window.of(2).stride(2)), 2)));
    all.add(new Case("mean over time", v -> mean(v, 1)));
    all.add(new Case("mean of all", v -> mean(v)));
    all.add(new Case("variance", v -> variance(v, 0, 1)));
    all.add(new Case("normed over time", v -> permute(softmax(permute(v, 0, 2, 1), 2), 0, 2, 1)));
    all.add(formula("outer", a -> a.reshape(-1, 1, 4).times(a.reshape(1, -1, 4)).reshape(-1, 4)));
    all.add(formula("square", a -> Ops.einsum("itk,jtk->ij", a, a).flatten()));
    all.add(formula("differences", a -> Ops.diff(a, 1).times(Ops.mean(Ops.diff(a, 1)))));
    all.add(formula("every third", a -> Ops.mean(a.slice(Ops.all(), from(1, 3)), 1)));
    all.add(formula("third last", a -> a.slice(Ops.all(), range(-3, -1)).reshape(-1, 2)));
    all.add(formula("backwards", a -> a.flip(1).plus(a.slice(Ops.all(), from(-1, -1)))));
    all.add(formula("backwards by twos", a -> a.slice(Ops.all(), from(-1, -2)).times(2)));
    all.add(formula("backwards from the third", a -> a.slice(Ops.all(), from(2, -1)).plus(1)));
    all.add(formula("backwards from the fifth last", a -> a.slice(Ops.all(), from(-5, -1)).neg()));
    all.add(formula("backwards to the third", a -> a.slice(Ops.all(), range(9, 2, -2)).neg()));
    all.add(formula("slice of slice", a -> first(a.slice(Ops.all(), range(-4, 9)), 3)));
    all.add(formula("tiles", a -> Ops.tile(a, 2, 1).reshape(-1, 8)));
    all.add(formula("padded", a -> Ops.mean(Ops.pad(a, 0, 0, 1, 2), 1)));
    all.add(formula("size", a -> Ops.sum(a, 0).div(a.shape().size())));
    all.add(formula("arithmetic", a -> a.reshape(a.shape().dim(0) * a.shape().dim(1), 2, 2)));
    all.add(formula("inverse", a -> Ops.sum(a, 1).times(2.5 / a.shape().dim(1))));
    all.add(formula("one less", a -> a.slice(Ops.all(), range(0, a.shape().dim(1) - 1)).times(2)));
    return all.stream();
  }

  private static Expr<F32> first(Expr<F32> a, long n) {
    return a.slice(Ops.all(), range(0, n));
  }

  @ParameterizedTest
  @MethodSource("lengths")
  void allLengthsAreAsTheExecutorsOwn(Case c) throws Exception {
    Variable<F32> x = Variable.input("x", F32, -1, -1, 4);
    Variable<?> y = c.layer.apply(x);
    var executor = new Executor(CTX, 3, y);
    Path file = folder.resolve("model.onnx");
    executor.exportOnnx(file);
    int runs = 0;
    for (long n : new long[] {1, 2, 3, 5}) {
      for (long steps : new long[] {1, 2, 3, 4, 5, 6, 9, 16}) {
        executor.set(x, uniform(F32, n + steps, n, steps, 4).minus(0.3).times(2));
        if (takes(executor)) {
          try {
            OnnxRun.compare(file, executor, List.of(y), 1e-4);
          } catch (AssertionError e) {
            throw new AssertionError("batch of " + n + ", length " + steps, e);
          }
          runs++;
        }
      }
    }
    assertThat(runs).isGreaterThanOrEqualTo(16);
  }

  @Test
  void otherArithmeticOnUnknownExtentsIsAnError() {
    Variable<F32> x = Variable.input("x", F32, -1, 4);
    Variable<F32> y =
        apply("cut", F32, v -> v.get(x).slice(range(0, Math.max(v.get(x).shape().dim(0), 6))), x);
    assertThat(y.dims()).isEqualTo(ristretto.symbolic.graph.Dims.of(-1, 4));
    Variable<F32> z =
        apply("odd", F32, v -> v.get(x).times(v.get(x).shape().dim(0) > 5 ? 1 : 2), x);
    assertThatThrownBy(() -> new Executor(CTX, z).exportOnnx(folder.resolve("model.onnx")))
        .isInstanceOf(OnnxException.class)
        .hasMessage(
            "[onnx] an exported model must consist of operations that ONNX has; got odd, which"
                + " needs arithmetic on unknown extents other than sums, products and quotients;"
                + " export the variables before it.");
  }

  private static Variable<F32> step(Random random, Variable<F32> v, String name) {
    long width = v.dims().at(1);
    int k = 1 + random.nextInt(5);
    return switch (random.nextInt(14)) {
      case 0 -> tanh(v);
      case 1 -> dense(name, v, 1 + random.nextInt(6));
      case 2 -> slice(v, range(0, k));
      case 3 -> slice(v, from(-k));
      case 4 -> slice(v, from(0, 1 + random.nextInt(3)));
      case 5 -> reshape(v, -1, 2 * width);
      case 6 -> width % 2 == 0 ? reshape(v, -1, width / 2) : v.neg();
      case 7 -> softmax(v, random.nextInt(2));
      case 8 -> v.minus(mean(v, 0));
      case 9 -> v.times(mean(slice(v, range(0, k))));
      case 10 -> concat(0, v, slice(v, range(0, k)));
      case 11 -> v.plus(max(slice(v, from(-k)), 0));
      case 12 -> dot(softmax(dot(v, permute(v, 1, 0)), 1), v);
      default -> slice(v, from(k, -1));
    };
  }

  /** Random models of a batch of unknown size, in batches of all sizes that they take. */
  @Test
  void randomModelsAreTheSameForAllSizes() throws Exception {
    int runs = 0;
    int refused = 0;
    for (int seed = 0; seed < 60; seed++) {
      var random = new Random(seed);
      Variable<F32> x = Variable.input("x", F32, -1, 4);
      Variable<F32> y = x;
      for (int k = 0; k < 5 && y.dims().at(1) <= 64; k++) {
        y = step(random, y, "step" + k);
      }
      Variable<F32> result = y.times(1);
      var executor = new Executor(CTX, 3, result);
      Path file = folder.resolve("model.onnx");
      try {
        executor.exportOnnx(file);
      } catch (OnnxException | ShapeException e) {
        // Such as slices that a later reshape cannot divide, but for some small sizes.
        refused++;
        continue;
      }
      for (long n : new long[] {1, 2, 3, 4, 7, 8}) {
        executor.set(x, uniform(F32, n, n, 4).minus(0.3).times(2));
        if (takes(executor)) {
          try {
            OnnxRun.compare(file, executor, List.of(result), 1e-3);
          } catch (AssertionError e) {
            throw new AssertionError("model " + seed + ", batch of " + n, e);
          }
          runs++;
        }
      }
    }
    assertThat(runs).isGreaterThan(150);
    assertThat(refused).isLessThan(20);
  }

  private static boolean takes(Executor executor) {
    try {
      executor.forward();
      return true;
    } catch (ShapeException e) {
      return false;
    }
  }
}
