package ristretto.nnet3.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Program;
import ristretto.expr.Tensor;
import ristretto.expr.Trace;
import ristretto.expr.option.Optimization;
import ristretto.expr.type.F32;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.DerivativeTimes;
import ristretto.nnet3.Index;
import ristretto.nnet3.LoweringOptions;
import ristretto.nnet3.Rematerialization;
import ristretto.nnet3.analysis.Analyzer;
import ristretto.nnet3.analysis.Assignments;
import ristretto.nnet3.analysis.ComputationChecker;
import ristretto.nnet3.analysis.MatrixInfo;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.network.SimpleContext;
import ristretto.nnet3.step.DeviceParameters;
import ristretto.nnet3.step.GradientTensors;

/** Benefit of each option in training; results do not depend on the options. */
class LoweringOptionsTest {
  private static final int SEQUENCES = 4;
  private static final int FRAMES = 12;
  private static final int DIM = 5;

  /** Forward and backward in one program, as in training. */
  private record Run(Assignments assignments, Program program, Map<String, float[]> gradients) {
    static Run of(Nnet nnet, LoweringOptions lowering) {
      return of(nnet, lowering, Set.of());
    }

    static Run of(Nnet nnet, LoweringOptions lowering, Set<Optimization> without) {
      return of(nnet, lowering, without, DerivativeTimes.ALL);
    }

    static Run of(
        Nnet nnet, LoweringOptions lowering, Set<Optimization> without, DerivativeTimes times) {
      try (Context context = Context.open("cpu")) {
        context.without(without);
        var deviceParameters = new DeviceParameters(context);
        deviceParameters.lowering(lowering);
        var pass = new Compiler(nnet, deviceParameters, 4).pass(request(nnet)).limited(times);
        var sink = new GradientTensors(context, _ -> true, true);
        Program program =
            context.recordOnly(() -> {
              pass.forward(sink);
              pass.backward(sink);
            });
        fill(pass.inputs().get("input"), 1);
        fill(pass.outputDerivs().get("output"), 2);
        deviceParameters.seed(3);
        program.run();
        Assignments assignments = pass.assignments(program.trace());
        ComputationChecker.check(assignments);
        var gradients = new LinkedHashMap<String, float[]>();
        nnet.components()
            .forEach((name, component) -> {
              if (component instanceof UpdatableComponent u) {
                for (float[] p : u.parameters()) {
                  gradients.put(name + gradients.size(), sink.gradient(p));
                }
              }
              sink.statistics(component)
                  .forEach((which, s) -> gradients.put(name + which, s.sum().toFloatArray()));
            });
        return new Run(assignments, program, gradients);
      }
    }

    private static void fill(Tensor<F32> tensor, long seed) {
      var random = new Random(seed);
      var values = new float[Math.toIntExact(tensor.shape().size())];
      for (int k = 0; k < values.length; k++) {
        values[k] = (float) random.nextGaussian();
      }
      tensor.context().copy(MemorySegment.ofArray(values), tensor);
    }

    /** Bytes that lie between forward and backward. */
    long betweenPasses() {
      int first = 0;
      while (!assignments.fused().get(first).node().contains("backward")) {
        first++;
      }
      return new Analyzer(assignments).liveBytes().get(first);
    }

    long peak() {
      return new Analyzer(assignments).peakBytes();
    }

    long products() {
      return assignments.fused().stream().filter(f -> f.kind().equals("gemm")).count();
    }

    long readsThroughIndexes() {
      return program.trace().works().stream()
          .flatMap(work -> work.reads().stream())
          .filter(Trace.Access::gathered)
          .count();
    }
  }

  private static ComputationRequest request(Nnet nnet) {
    SimpleContext context = SimpleContext.of(nnet);
    return new ComputationRequest(
        List.of(io("input", -context.left(), FRAMES + context.right(), false)),
        List.of(io("output", 0, FRAMES, true)),
        true,
        true);
  }

  private static ComputationRequest.Io io(String name, int from, int to, boolean hasDeriv) {
    List<Index> rows =
        IntStream.range(0, SEQUENCES)
            .boxed()
            .flatMap(n -> IntStream.range(from, to).mapToObj(t -> new Index(n, t)))
            .toList();
    return new ComputationRequest.Io(name, rows, hasDeriv);
  }

  private static void assertLike(Run got, Run want, double tolerance) {
    want.gradients.forEach((name, expected) -> {
      float[] found = got.gradients.get(name);
      for (int k = 0; k < expected.length; k++) {
        assertThat((double) found[k])
            .as("%s[%d]", name, k)
            .isCloseTo(expected[k], within(tolerance * (1 + Math.abs(expected[k]))));
      }
    });
  }

  private static Nnet tdnn(int layers, int dim) {
    var lines = new StringBuilder("input-node name=input dim=" + DIM + "\n");
    String x = "input";
    int before = DIM;
    for (int k = 0; k < layers; k++) {
      lines.append(
          String.format(
                  Locale.ROOT,
                  """
                  component name=a# type=NaturalGradientAffineComponent input-dim=%d output-dim=%d
                  component-node name=a# component=a# input=Append(Offset(%s, -1), %s, Offset(%s, 1))
                  component name=r# type=RectifiedLinearComponent dim=%d
                  component-node name=r# component=r# input=a#
                  component name=b# type=BatchNormComponent dim=%d
                  component-node name=b# component=b# input=r#
                  """,
                  3 * before,
                  dim,
                  x,
                  x,
                  x,
                  dim,
                  dim)
              .replace("#", "" + k));
      x = "b" + k;
      before = dim;
    }
    lines.append("output-node name=output input=").append(x).append('\n');
    return Nnet.fromConfig("tdnn", lines.toString(), 1);
  }

  private static Nnet tdnnf(int layers, int dim, int bottleneck) {
    return tdnnf(layers, dim, bottleneck, false);
  }

  /**
   * @param tdnn whether components read several times themselves
   */
  private static Nnet tdnnf(int layers, int dim, int bottleneck, boolean tdnn) {
    var lines =
        new StringBuilder(
            String.format(
                Locale.ROOT,
                """
                input-node name=input dim=5
                component name=a type=NaturalGradientAffineComponent input-dim=5 output-dim=%d
                component-node name=a component=a input=input
                """,
                dim));
    String x = "a";
    for (int k = 0; k < layers; k++) {
      String products =
          tdnn
              ? String.format(
                  Locale.ROOT,
                  """
                  component name=l# type=TdnnComponent input-dim=%2$d output-dim=%1$d \
                  time-offsets=-1,0 use-bias=false
                  component-node name=l# component=l# input=%3$s
                  component name=a# type=TdnnComponent input-dim=%1$d output-dim=%2$d time-offsets=0,1
                  component-node name=a# component=a# input=l#
                  """,
                  bottleneck,
                  dim,
                  x)
              : String.format(
                  Locale.ROOT,
                  """
                  component name=l# type=LinearComponent input-dim=%d output-dim=%d
                  component-node name=l# component=l# input=Append(Offset(%s, -1), %s)
                  component name=a# type=NaturalGradientAffineComponent input-dim=%d output-dim=%d
                  component-node name=a# component=a# input=Append(l#, Offset(l#, 1))
                  """,
                  2 * dim,
                  bottleneck,
                  x,
                  x,
                  2 * bottleneck,
                  dim);
      lines.append(products.replace("#", "" + k));
      lines.append(
          String.format(
                  Locale.ROOT,
                  """
                  component name=r# type=RectifiedLinearComponent dim=%d
                  component-node name=r# component=r# input=a#
                  component name=b# type=BatchNormComponent dim=%d
                  component-node name=b# component=b# input=r#
                  component name=d# type=GeneralDropoutComponent dim=%d dropout-proportion=0.1
                  component-node name=d# component=d# input=b#
                  component name=n# type=NoOpComponent dim=%d
                  component-node name=n# component=n# input=Sum(Scale(0.66, %s), d#)
                  """,
                  dim,
                  dim,
                  dim,
                  dim,
                  x)
              .replace("#", "" + k));
      x = "n" + k;
    }
    lines.append("output-node name=output input=").append(x).append('\n');
    return Nnet.fromConfig("tdnn-f", lines.toString(), 1);
  }

  /** Layers of cells with projections, of which one in three multiplies again. */
  private static Nnet lstm(int layers, int cells, int projected) {
    var lines = new StringBuilder("input-node name=input dim=" + DIM + "\n");
    String x = "input";
    int before = DIM;
    for (int k = 0; k < layers; k++) {
      lines.append(
          String.format(
                  Locale.ROOT,
                  """
                  component name=w# type=NaturalGradientAffineComponent input-dim=%d output-dim=%d
                  component name=g# type=LstmNonlinearityComponent cell-dim=%d
                  component name=t# type=BackpropTruncationComponent dim=%d recurrence-interval=1
                  component name=p# type=NaturalGradientAffineComponent input-dim=%d output-dim=%d
                  component-node name=w# component=w# input=Append(%s, IfDefined(Offset(r#, -1)))
                  component-node name=g# component=g# input=Append(w#, IfDefined(Offset(c#, -1)))
                  dim-range-node name=cell# input-node=g# dim-offset=0 dim=%d
                  dim-range-node name=m# input-node=g# dim-offset=%d dim=%d
                  component-node name=p# component=p# input=m#
                  component-node name=t# component=t# input=Append(cell#, p#)
                  dim-range-node name=c# input-node=t# dim-offset=0 dim=%d
                  dim-range-node name=r# input-node=t# dim-offset=%d dim=%d
                  """,
                  before + projected,
                  4 * cells,
                  cells,
                  cells + projected,
                  cells,
                  projected,
                  x,
                  cells,
                  cells,
                  cells,
                  cells,
                  cells,
                  projected)
              .replace("#", "" + k));
      x = "p" + k;
      before = projected;
    }
    lines.append("output-node name=output input=").append(x).append('\n');
    return Nnet.fromConfig("lstm", lines.toString(), 1);
  }

  private static Nnet rnn() {
    return Nnet.fromConfig(
        "rnn",
        """
        input-node name=input dim=5
        component name=a type=NaturalGradientAffineComponent input-dim=11 output-dim=6
        component-node name=a component=a input=Append(input, IfDefined(Offset(h, -1)))
        component name=h type=TanhComponent dim=6
        component-node name=h component=h input=a
        output-node name=output input=h
        """,
        1);
  }

  @Test
  void computingAgainHalvesTheMemoryOfADeepTdnn() {
    halves(tdnn(12, 32), 0.5);
  }

  @Test
  void computingAgainHalvesTheMemoryOfADeepTdnnf() {
    halves(tdnnf(12, 48, 4), 0.5);
  }

  /** With components that read several times themselves. */
  @Test
  void computingAgainHalvesTheMemoryOfTdnnComponents() {
    halves(tdnnf(12, 48, 4, true), 0.5);
  }

  /** Covers recurrences too: gates of all, and one in three of the large products. */
  @Test
  void computingAgainHalvesTheMemoryOfRecurrences() {
    Nnet nnet = lstm(3, 16, 4);
    Run stored = Run.of(nnet, STORED);
    Run again = Run.of(nnet, LoweringOptions.SMALL);
    assertLike(again, stored, 0);
    assertThat(again.betweenPasses()).isLessThanOrEqualTo(stored.betweenPasses() / 2);
    assertThat((double) again.peak()).isLessThanOrEqualTo(0.8 * stored.peak());
    // the input's and those of each step but the first
    assertThat(again.products()).isEqualTo(stored.products() + FRAMES);
    // single steps that have derivatives read what all steps made
    var times = new DerivativeTimes(FRAMES / 4, 3 * FRAMES / 4);
    assertLike(
        Run.of(nnet, LoweringOptions.SMALL, Set.of(), times),
        Run.of(nnet, STORED, Set.of(), times),
        0);
    LoweringOptions each =
        new LoweringOptions(
            Rematerialization.PRODUCTS, false, true, true, LoweringOptions.AUTOMATIC);
    assertLike(Run.of(nnet, each), stored, 1e-5);
    assertLike(Run.of(rnn(), LoweringOptions.SMALL), Run.of(rnn(), STORED), 0);
  }

  private static final LoweringOptions STORED =
      new LoweringOptions(Rematerialization.NOTHING, true, true, true, LoweringOptions.AUTOMATIC);

  /** Cheap values are recomputed unless that is switched off: there are no more products. */
  @Test
  void cheapValuesAreComputedAgain() {
    for (Nnet nnet : List.of(tdnn(12, 32), tdnnf(12, 48, 4))) {
      Run stored = Run.of(nnet, STORED);
      Run again = Run.of(nnet, LoweringOptions.DEFAULT);
      assertLike(again, stored, 0);
      assertThat(again.betweenPasses()).isLessThanOrEqualTo(stored.betweenPasses() * 4 / 5);
      assertThat(again.products()).isEqualTo(stored.products());
    }
  }

  /** Outputs and derivatives by them need no memory of their own within one program. */
  @Test
  void outputsOfAStepAreTemporaries() {
    var programs = new ArrayList<Program>();
    var gradients = new ArrayList<float[]>();
    Nnet nnet = tdnn(2, 8);
    for (boolean within : List.of(false, true)) {
      try (Context context = Context.open("cpu")) {
        var pass = new Compiler(nnet, new DeviceParameters(context), 4).pass(request(nnet));
        if (within) {
          pass.withinProgram();
        }
        var sink = new GradientTensors(context, _ -> true, true);
        programs.add(
            context.recordOnly(() -> {
              pass.forward(sink);
              assertThat(pass.outputDim("output")).isEqualTo(8);
              pass.derivative("output", pass.outputs().get("output").times(0.5f));
              pass.backward(sink);
            }));
        Run.fill(pass.inputs().get("input"), 1);
        programs.getLast().run();
        for (float[] p : ((UpdatableComponent) nnet.components().get("a0")).parameters()) {
          gradients.add(sink.gradient(p));
        }
        assertThat(pass.outputs().isEmpty()).isEqualTo(within);
        assertThat(pass.outputDim("other")).isEqualTo(-1);
      }
    }
    assertThat(gradients.get(2)).isEqualTo(gradients.get(0));
    assertThat(gradients.get(3)).isEqualTo(gradients.get(1));
    assertThat(programs.get(1).kernelCount()).isLessThan(programs.get(0).kernelCount());
  }

  private static void halves(Nnet nnet, double ofPeak) {
    Run stored = Run.of(nnet, STORED);
    Run again = Run.of(nnet, LoweringOptions.SMALL);
    assertLike(again, stored, 0);
    assertThat(again.betweenPasses()).isLessThanOrEqualTo(stored.betweenPasses() / 2);
    assertThat((double) again.peak()).isLessThanOrEqualTo(ofPeak * stored.peak());
    // what that costs
    assertThat(again.products()).isBetween(stored.products() + 1, stored.products() * 5 / 4);
  }

  @Test
  void consolidationSavesProducts() {
    Run one = Run.of(rnn(), LoweringOptions.DEFAULT);
    Run each =
        Run.of(
            rnn(),
            new LoweringOptions(
                Rematerialization.CHEAP, false, true, true, LoweringOptions.AUTOMATIC));
    assertLike(each, one, 1e-5);
    assertThat(each.products()).isGreaterThan(one.products() + FRAMES / 2);
  }

  /** Limited times too: no step outside of them has products. */
  @Test
  void consolidationSavesProductsWhereTimesAreLimited() {
    LoweringOptions steps =
        new LoweringOptions(Rematerialization.CHEAP, false, true, true, LoweringOptions.AUTOMATIC);
    var times = new DerivativeTimes(FRAMES / 4, 3 * FRAMES / 4);
    Run one = Run.of(rnn(), LoweringOptions.DEFAULT, Set.of(), times);
    Run each = Run.of(rnn(), steps, Set.of(), times);
    assertLike(each, one, 1e-5);
    assertThat(each.products()).isGreaterThan(one.products() + FRAMES / 4);
    Run all = Run.of(rnn(), steps);
    assertThat(all.products()).isGreaterThan(each.products() + FRAMES / 4);
  }

  @Test
  void slicesSaveIndexes() {
    Run slices = Run.of(tdnn(2, 8), LoweringOptions.DEFAULT);
    Run indexes =
        Run.of(
            tdnn(2, 8),
            new LoweringOptions(
                Rematerialization.CHEAP, true, false, true, LoweringOptions.AUTOMATIC));
    assertLike(indexes, slices, 1e-5);
    assertThat(indexes.readsThroughIndexes()).isGreaterThan(slices.readsThroughIndexes() + 4);
  }

  @Test
  void slicesSaveIndexesWhereRowsAreMissing() {
    Nnet nnet =
        Nnet.fromConfig(
            "the past",
            """
            input-node name=input dim=5
            component name=h type=TanhComponent dim=5
            component-node name=h component=h input=input
            component name=a type=AffineComponent input-dim=10 output-dim=6
            component-node name=a component=a input=Append(h, IfDefined(Offset(h, -3)))
            output-node name=output input=a
            """,
            1);
    Run slices = Run.of(nnet, LoweringOptions.DEFAULT);
    Run indexes =
        Run.of(
            nnet,
            new LoweringOptions(
                Rematerialization.CHEAP, true, true, false, LoweringOptions.AUTOMATIC));
    assertLike(indexes, slices, 1e-5);
    assertThat(indexes.readsThroughIndexes()).isGreaterThan(slices.readsThroughIndexes());
  }

  private static LoweringOptions inPlace(boolean forward, boolean backward) {
    return new LoweringOptions(
        Rematerialization.NOTHING, true, true, true, LoweringOptions.AUTOMATIC, forward, backward);
  }

  @Test
  void writingInPlaceBackwardSavesMemory() {
    Run inPlace = Run.of(tdnn(1, 32), STORED);
    Run noneAtAll = Run.of(tdnn(1, 32), STORED, EnumSet.of(Optimization.IN_PLACE));
    Run none = Run.of(tdnn(1, 32), inPlace(false, false));
    Run forward = Run.of(tdnn(1, 32), inPlace(true, false));
    Run backward = Run.of(tdnn(1, 32), inPlace(false, true));
    for (Run other : List.of(noneAtAll, none, forward, backward)) {
      assertLike(other, inPlace, 0);
      assertThat(other.program.kernelCount()).isEqualTo(inPlace.program.kernelCount());
    }
    assertThat(none.program.temporaryBytes()).isEqualTo(noneAtAll.program.temporaryBytes());
    assertThat(forward.program.temporaryBytes()).isEqualTo(none.program.temporaryBytes());
    assertThat(backward.program.temporaryBytes()).isLessThan(none.program.temporaryBytes());
  }

  @Test
  void lifetimesSaveMemory() {
    Run with = Run.of(tdnnf(3, 16, 4), STORED);
    Run unshared = Run.of(tdnnf(3, 16, 4), STORED, EnumSet.of(Optimization.SHARE_MEMORY));
    Run whole = Run.of(tdnnf(3, 16, 4), STORED, EnumSet.of(Optimization.LIFETIMES));
    for (Run other : List.of(unshared, whole)) {
      assertLike(other, with, 0);
      assertThat(other.program.kernelCount()).isEqualTo(with.program.kernelCount());
    }
    assertThat(with.program.temporaryBytes()).isLessThan(unshared.program.temporaryBytes());
    assertThat(unshared.program.temporaryBytes()).isLessThan(whole.program.temporaryBytes());
    assertThat(whole.program.temporaryBytes())
        .isEqualTo(new Analyzer(whole.assignments).temporaryBytes());
  }

  @Test
  void leavingMemoryUndefinedSavesKernels() {
    Run with = Run.of(tdnnf(3, 16, 4), STORED);
    Run zeroed = Run.of(tdnnf(3, 16, 4), STORED, EnumSet.of(Optimization.LEAVE_UNDEFINED));
    assertLike(zeroed, with, 0);
    long temporaries =
        with.assignments.memories().stream()
            .filter(m ->
                m.role() == MatrixInfo.Role.TEMPORARY
                    && new Analyzer(with.assignments).firstAccess(m.number()) >= 0)
            .count();
    assertThat(zeroed.program.kernelCount()).isEqualTo(with.program.kernelCount() + temporaries);
  }

  @Test
  void removingAssignmentsSavesKernels() {
    for (LoweringOptions how : List.of(STORED, LoweringOptions.DEFAULT)) {
      // What is written is found by sums over it, which saves kernels of another kind.
      Run with = Run.of(tdnnf(3, 16, 4), how, EnumSet.of(Optimization.JOIN_SUMS));
      Run alone =
          Run.of(tdnnf(3, 16, 4), how, EnumSet.of(Optimization.INLINE, Optimization.JOIN_SUMS));
      assertLike(alone, with, 1e-5);
      assertThat(alone.program.kernelCount()).isGreaterThan(with.program.kernelCount());
      assertThat(alone.program.temporaryBytes()).isGreaterThan(with.program.temporaryBytes());
    }
  }
}
