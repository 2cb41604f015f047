package ristretto.testkit;

import static ristretto.expr.Ops.F32;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.expr.type.Slice;

/**
 * Evaluates the {@link RandomGraph} that a list of numbers encodes, in one of several ways, and
 * throws an {@link AssertionError} with the graph if the result differs from the oracle's.
 */
final class GraphCheck {
  private final Context ctx;
  private final RandomGraph graph;

  GraphCheck(Context ctx, List<Integer> numbers) {
    this.ctx = ctx;
    this.graph = new RandomGraph(ctx, numbers);
  }

  /** Returns the numbers that encode graph {@code seed}. */
  static List<Integer> numbers(long seed) {
    var random = new Random(seed);
    return random.ints(10 + random.nextInt(60), 0, 5040).boxed().toList();
  }

  void fused() {
    evaluate("fused", () -> ctx.eval(graph.fused()));
  }

  void stepByStep() {
    evaluate("step by step", () -> ctx.eval(graph.stepByStep()));
  }

  /** Assigns to a view with {@code step} elements between its own, which must not change. */
  void intoAView(int step) {
    long[] shape = graph.root().value.shape;
    long[] wide = Arrays.stream(shape).map(n -> Math.max(1, n * (step + 1) + 1)).toArray();
    Tensor<F32> base = ctx.full(F32, -99, wide);
    Slice[] slices = new Slice[shape.length];
    for (int d = 0; d < slices.length; d++) {
      slices[d] = Ops.range(1, 1 + shape[d] * (step + 1), step + 1);
    }
    ctx.assign(base.slice(slices), graph.fused());
    Nd expected =
        Nd.build(
            wide,
            i -> {
              long[] from = new long[i.length];
              for (int d = 0; d < i.length; d++) {
                from[d] = (i[d] - 1) / (step + 1);
                if (i[d] < 1 || (i[d] - 1) % (step + 1) != 0 || from[d] >= shape[d]) {
                  return -99;
                }
              }
              return graph.root().value.at(from);
            });
    Tolerance.EQUAL.check(F32, expected, NdTensors.read(base), () -> "into a view\n" + graph);
  }

  /** Assigns to one of the operands if its shape fits: all reads must precede the writes. */
  void ontoAnOperand() {
    for (RandomGraph.Node leaf : graph.leaves) {
      Tensor<F32> target = graph.tensor(leaf);
      boolean repeats = Arrays.stream(target.layout().strides()).anyMatch(s -> s == 0);
      if (!repeats && Arrays.equals(leaf.value.shape, graph.root().value.shape)) {
        ctx.assign(target, graph.fused());
        check("assigned to %" + graph.nodes.indexOf(leaf), target);
        return;
      }
    }
  }

  private void evaluate(String how, Supplier<Tensor<F32>> result) {
    Tensor<F32> actual;
    try {
      actual = result.get();
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(how + "\n" + graph + "\n" + e.getMessage(), e);
    }
    check(how, actual);
  }

  private void check(String how, Tensor<F32> actual) {
    Tolerance.EQUAL.check(
        F32, graph.root().value, NdTensors.read(actual), () -> how + "\n" + graph);
  }
}
