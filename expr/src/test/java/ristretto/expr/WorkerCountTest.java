package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.expr.Ops.*;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import ristretto.expr.type.F32;
import ristretto.expr.type.I32;
import ristretto.expr.type.Shape;

/** Results have the same bits whatever the number of worker threads. */
class WorkerCountTest {
  private static final String PROPERTY = "ristretto.cpu.threads";

  @Test
  void bitsDoNotDependOnTheNumberOfWorkers() {
    Map<String, float[]> one = results(1);
    for (int threads : new int[] {2, 3, 7}) {
      Map<String, float[]> more = results(threads);
      one.forEach((name, values) ->
          assertThat(more.get(name)).as("%s, %s threads", name, threads).isEqualTo(values));
    }
  }

  private static Map<String, float[]> results(int threads) {
    String before = System.getProperty(PROPERTY);
    System.setProperty(PROPERTY, "" + threads);
    try (var ctx = Context.open("cpu")) {
      var results = new LinkedHashMap<String, float[]>();
      Tensor<F32> x = ctx.eval(normal(F32, 1, 160, 509));
      Tensor<F32> long1 = ctx.eval(uniform(F32, 2, 130_009).minus(0.25));
      Tensor<F32> w = ctx.eval(normal(F32, 3, 509, 65));
      put(results, "map", ctx.eval(tanh(x.times(x).plus(0.5))));
      put(results, "sum of all", ctx.eval(sum(x)));
      put(results, "sum of a long row", ctx.eval(sum(long1)));
      put(results, "sum of short rows", ctx.eval(sum(x, 1)));
      put(results, "sum of columns", ctx.eval(sum(x, 0)));
      put(results, "mean and deviation", ctx.eval(std(long1)));
      put(results, "prod", ctx.eval(prod(x.times(0.01).plus(1), 0)));
      put(results, "max", ctx.eval(max(x, 0)));
      put(results, "argMax", ctx.eval(argMax(long1, 0).cast(F32)));
      joinedSums(results, ctx, ctx.eval(normal(F32, 4, 41, 100, 193)));
      put(results, "softmax", ctx.eval(softmax(x, 1)));
      put(results, "softmax of columns", ctx.eval(softmax(x, 0)));
      put(results, "softmax of a long row", ctx.eval(softmax(long1, 0)));
      put(results, "layer norm", ctx.eval(layerNorm(x, 1)));
      put(results, "logSumExp", ctx.eval(logSumExp(x, 0)));
      put(results, "cumSum", ctx.eval(cumSum(x, 1)));
      put(results, "cumSum of a long row", ctx.eval(cumSum(long1, 0)));
      put(results, "cumSum of columns", ctx.eval(cumSum(x, 0)));
      put(results, "lambda", ctx.eval(reduce(long1, 0f, (u, v) -> u + v)));
      put(results, "product", ctx.eval(relu(dot(x, w).plus(1))));
      put(results, "batched product", ctx.eval(dot(x.slice(range(0, 64)).reshape(4, 16, 509), w)));
      put(
          results,
          "scatter",
          ctx.eval(scatterAdd(Shape.of(10), 0, abs(long1.times(9)).cast(I32), long1)));
      Expr<I32> rows = abs(long1.slice(range(0, 509)).times(9)).cast(I32);
      put(results, "scatter of lines", ctx.eval(scatterAdd(Shape.of(10, 65), 0, rows, w)));
      put(results, "sorted", ctx.eval(sort(long1, 0)));
      return results;
    } finally {
      if (before == null) {
        System.clearProperty(PROPERTY);
      } else {
        System.setProperty(PROPERTY, before);
      }
    }
  }

  /** Sums that elements need, and sums of these elements, in one kernel. */
  private static void joinedSums(Map<String, float[]> results, Context ctx, Tensor<F32> x) {
    Tensor<F32> first = ctx.empty(F32, 193);
    Tensor<F32> y = ctx.empty(F32, x.shape());
    Tensor<F32> second = ctx.empty(F32, 193);
    Program program =
        ctx.recordOnly(() -> {
          ctx.assign(first, sum(x, 0, 1));
          ctx.assign(y, x.times(4100).minus(first));
          ctx.assign(second, sum(square(y), 0, 1));
        });
    assertThat(program.kernelCount()).isEqualTo(1);
    program.run();
    put(results, "joined sums, the first", first);
    put(results, "joined sums, elements", y);
    put(results, "joined sums, the second", second);
  }

  private static void put(Map<String, float[]> results, String name, Tensor<F32> t) {
    results.put(name, t.toFloatArray());
  }
}
