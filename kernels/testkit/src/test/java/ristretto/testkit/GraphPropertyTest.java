package ristretto.testkit;

import static ristretto.expr.Ops.F32;

import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterContainer;
import ristretto.expr.Context;
import ristretto.expr.F32;
import ristretto.expr.Ops;
import ristretto.expr.Slice;
import ristretto.expr.Tensor;

/** Random expression graphs: fused, step by step and by the oracle they give the same numbers. */
class GraphPropertyTest {
  private static final Context DEVICE = TestDevice.open();

  @AfterContainer
  static void close() {
    DEVICE.close();
  }

  @Property(tries = 300)
  void fusedIsWhatTheOracleSays(
      @ForAll @Size(max = 80) List<@IntRange(min = 0, max = 5039) Integer> numbers) {
    var graph = new RandomGraph(DEVICE, numbers);
    evaluate(graph, "fused", () -> DEVICE.eval(graph.fused()));
  }

  /** The interpreter checks every access that the planned kernels make. */
  @Property(tries = 150)
  void plannedKernelsKeepTheRules(
      @ForAll @Size(max = 80) List<@IntRange(min = 0, max = 5039) Integer> numbers) {
    try (var ctx = Context.open("oracle")) {
      var graph = new RandomGraph(ctx, numbers);
      evaluate(graph, "fused", () -> ctx.eval(graph.fused()));
    }
  }

  @Property(tries = 100)
  void stepByStepIsWhatTheOracleSays(
      @ForAll @Size(max = 60) List<@IntRange(min = 0, max = 5039) Integer> numbers) {
    var graph = new RandomGraph(DEVICE, numbers);
    evaluate(graph, "step by step", () -> DEVICE.eval(graph.stepByStep()));
  }

  /** Into a view of any layout: the elements around it stay as they are. */
  @Property(tries = 100)
  void assignmentIntoAViewTouchesNothingElse(
      @ForAll @Size(max = 60) List<@IntRange(min = 0, max = 5039) Integer> numbers,
      @ForAll @IntRange(min = 0, max = 3) int step) {
    var graph = new RandomGraph(DEVICE, numbers);
    long[] shape = graph.root().value.shape;
    long[] wide = Arrays.stream(shape).map(n -> Math.max(1, n * (step + 1) + 1)).toArray();
    Tensor<F32> base = DEVICE.full(F32, -99, wide);
    Slice[] slices = new Slice[shape.length];
    for (int d = 0; d < slices.length; d++) {
      slices[d] = Ops.range(1, 1 + shape[d] * (step + 1), step + 1);
    }
    DEVICE.assign(base.slice(slices), graph.fused());
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

  /** The right-hand side is read before the target is written. */
  @Property(tries = 200)
  void assignmentToAnOperandReadsFirst(
      @ForAll @Size(max = 60) List<@IntRange(min = 0, max = 5039) Integer> numbers,
      @ForAll boolean interpreted) {
    try (var ctx = Context.open(interpreted ? "oracle" : TestDevice.NAME)) {
      var graph = new RandomGraph(ctx, numbers);
      for (RandomGraph.Node leaf : graph.leaves) {
        Tensor<F32> target = graph.tensor(leaf);
        boolean repeats = Arrays.stream(target.layout().strides()).anyMatch(s -> s == 0);
        if (!repeats && Arrays.equals(leaf.value.shape, graph.root().value.shape)) {
          ctx.assign(target, graph.fused());
          check(graph, "assigned to %" + graph.nodes.indexOf(leaf), target);
          return;
        }
      }
    }
  }

  /** Evaluates; a failure names the graph. */
  private static void evaluate(RandomGraph graph, String how, Supplier<Tensor<F32>> result) {
    Tensor<F32> actual;
    try {
      actual = result.get();
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(how + "\n" + graph + "\n" + e.getMessage(), e);
    }
    check(graph, how, actual);
  }

  private static void check(RandomGraph graph, String how, Tensor<F32> actual) {
    Tolerance.EQUAL.check(
        F32, graph.root().value, NdTensors.read(actual), () -> how + "\n" + graph);
  }
}
