package ristretto.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Fft;
import ristretto.expr.Gradients;
import ristretto.expr.QuantizedTensor;
import ristretto.expr.Seed;
import ristretto.expr.Tensor;
import ristretto.expr.linalg.Linalg;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.Shape;
import ristretto.kernels.block.BlockFormat;

/** Expressions have the same bits for any number of threads. */
@OnCpu("other devices have no such setting")
class ThreadsTest {
  private static final int[] THREADS = {1, 2, 3, 7};

  private static Context open(int threads) {
    System.setProperty("ristretto.cpu.threads", "" + threads);
    System.setProperty("ristretto.cpu.dnn", "own");
    try {
      return Context.open("cpu");
    } finally {
      System.clearProperty("ristretto.cpu.threads");
      System.clearProperty("ristretto.cpu.dnn");
    }
  }

  @Test
  void everyKindOfKernelInF32() {
    same(F32);
  }

  @Test
  void everyKindOfKernelInF64() {
    same(F64);
  }

  @Test
  void integersAndSelections() {
    same(ctx -> {
      var all = new ArrayList<Expr<?>>(integers(ctx, I32));
      all.addAll(integers(ctx, I64));
      return all;
    });
  }

  @Test
  void quantizedProducts() {
    same(ctx -> {
      var all = new ArrayList<Expr<?>>();
      for (BlockFormat format : BlockFormat.values()) {
        Tensor<F32> w = ctx.eval(normal(F32, Seed.of(1), 512, 300));
        QuantizedTensor q = format == BlockFormat.I8 ? quantize(w, I8) : quantize(w, format);
        all.add(dot(ctx.eval(normal(F32, Seed.of(2), 1, 512)), q));
        all.add(dot(ctx.eval(normal(F32, Seed.of(3), 8, 512)), q));
      }
      return all;
    });
  }

  private static <T> List<Expr<?>> integers(Context ctx, DType<T> dtype) {
    Tensor<T> x = ctx.eval(randomIntegers(dtype, 1, -1000, 1000, 300, 401));
    Tensor<T> y = ctx.eval(randomIntegers(dtype, 2, -1000, 1000, 401, 333));
    Tensor<T> many = ctx.eval(randomIntegers(dtype, 3, 0, 50, 300_001));
    Expr<BOOL> mask = many.gt(20);
    return List.of(
        dot(x, y),
        dot(y.t(), x.t()),
        cumSum(many, 0),
        cumMax(many, 0),
        cumSum(x, 0),
        cumMin(x, 1),
        bincount(many, 50),
        bincount(many.rem(4), 4),
        sort(many, 0),
        argMax(many),
        quantile(many.cast(F64), 0.3),
        ctx.compress(many, mask),
        ctx.compress(many.cast(F64), mask),
        ctx.nonzero(mask),
        ctx.unique(many),
        ctx.unique(many.cast(F32)));
  }

  private static <T> void same(DType<T> dtype) {
    same(ctx -> expressions(ctx, dtype));
  }

  private static void same(Function<Context, List<? extends Expr<?>>> expressions) {
    List<List<double[]>> results = new ArrayList<>();
    for (int threads : THREADS) {
      try (Context ctx = open(threads)) {
        var values = new ArrayList<double[]>();
        for (Expr<?> e : expressions.apply(ctx)) {
          values.add(ctx.eval(e.cast(F64)).toDoubleArray());
        }
        results.add(values);
      }
    }
    for (int t = 1; t < THREADS.length; t++) {
      for (int k = 0; k < results.getFirst().size(); k++) {
        assertThat(results.get(t).get(k))
            .as("expression %d with %d threads", k, THREADS[t])
            .isEqualTo(results.getFirst().get(k));
      }
    }
  }

  private static <T> List<Expr<T>> expressions(Context ctx, DType<T> dtype) {
    var all = new ArrayList<Expr<T>>();
    var random = new Random(5);
    for (int trial = 0; trial < 40; trial++) {
      long m = 1 + random.nextInt(400);
      long n = 1 + random.nextInt(400);
      long k = 1 + random.nextInt(400);
      Expr<T> a = numbers(ctx, dtype, 1, trial % 4 == 0 ? new long[] {3, m, k} : new long[] {m, k});
      Expr<T> b = trial % 3 == 0 ? numbers(ctx, dtype, 2, n, k).t() : numbers(ctx, dtype, 2, k, n);
      Expr<T> product = dot(a, b);
      all.add(
          switch (trial % 5) {
            case 0 -> relu(product.plus(numbers(ctx, dtype, 3, n)));
            case 1 -> tanh(product).times(numbers(ctx, dtype, 3, m, 1));
            case 2 -> sum(product, 0);
            case 3 -> softmax(product, -1);
            default -> product;
          });
    }
    Expr<T> x = numbers(ctx, dtype, 4, 300, 700);
    all.add(sum(x));
    all.add(var(x, 1));
    all.add(sum(x.times(x), 0));
    all.add(prod(x.plus(0.6), 1));
    all.add(Linalg.inv(numbers(ctx, dtype, 10, 70, 9, 9)));
    all.add(Linalg.svd(numbers(ctx, dtype, 11, 13, 30, 7)).u());
    all.add(cumSum(x, 1));
    all.add(cumSum(x, 0));
    all.add(logSumExp(x));
    Expr<I32> rows = ctx.eval(randomIntegers(I32, 6, 0, 40, 300));
    all.add(scatterAdd(Shape.of(40, 700), 0, rows, x));
    Expr<T> signal = numbers(ctx, dtype, 10, 3, 1 << 15);
    all.add(Fft.fft(x).im());
    all.add(Fft.fft(x, -1, 0).re());
    all.add(Fft.rfft(signal).re());
    all.add(Fft.irfft(Fft.rfft(signal)));
    Expr<T> images = numbers(ctx, dtype, 7, 9, 6, 20, 20);
    Expr<T> filters = numbers(ctx, dtype, 8, 8, 6, 3, 3);
    Expr<T> y =
        convolution(images, filters, new long[] {1, 1}, new long[] {1, 1}, new long[] {1, 1}, 1);
    all.add(y);
    all.addAll(gradients(y, numbers(ctx, dtype, 9, 9, 8, 20, 20), images, filters));
    return all;
  }

  @SuppressWarnings("unchecked")
  private static <T> List<Expr<T>> gradients(Expr<T> y, Expr<T> dy, Expr<T> x, Expr<T> w) {
    return (List<Expr<T>>) (List<?>) Gradients.of(y, dy, List.of(x, w));
  }

  private static <T> Expr<T> numbers(Context ctx, DType<T> dtype, long seed, long... dims) {
    return ctx.eval(uniform(dtype, seed, dims).minus(0.5));
  }
}
