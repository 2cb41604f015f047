package ristretto.nnet3.compile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Plan;
import ristretto.expr.Program;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.LoweringOptions;
import ristretto.nnet3.Property;
import ristretto.nnet3.Rematerialization;
import ristretto.nnet3.lower.RequestStructure;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.step.DeviceParameters;
import ristretto.nnet3.step.GradientTensors;

/**
 * Kernel counts of components. A matrix product that several calls accumulate counts once: the
 * first call writes {@code =}, the others {@code +=}.
 */
class KernelCountTest {
  private static final LoweringOptions STORED =
      new LoweringOptions(Rematerialization.NOTHING, true, true, true, LoweringOptions.AUTOMATIC);

  private record Counts(long products, long calls, long others) {
    static Counts of(Plan plan) {
      List<String> lines =
          plan.toString().lines().filter(l -> l.matches(" *[0-9]+\\. .*")).toList();
      long calls = lines.stream().filter(l -> l.contains(". gemm_")).count();
      long added = lines.stream().filter(l -> l.contains("+= dot of")).count();
      return new Counts(calls - added, calls, lines.size() - calls);
    }

    Counts minus(Counts other) {
      return new Counts(products - other.products, calls - other.calls, others - other.others);
    }
  }

  private static Counts counts(Nnet nnet, String request) {
    try (Context context = Context.open("cpu")) {
      var parsed = ComputationRequest.parse("request", request);
      return Counts.of(
          Computation.compile(nnet, parsed, new DeviceParameters(context)).program().explain());
    }
  }

  @Test
  void aFactorizedLayerIsTwoProductsAndOneKernel() {
    String request =
        "input input has-deriv=0\nrange n=0:4 t=-9:20\n"
            + "output output has-deriv=0\nrange n=0:4 t=0:11\n";
    Counts layer = counts(factorized(3), request).minus(counts(factorized(2), request));
    assertThat(layer).isEqualTo(new Counts(2, 4, 1));
  }

  private static Nnet factorized(int layers) {
    var config = new StringBuilder("input-node name=input dim=96\n");
    config.append("component name=first type=NoOpComponent dim=96\n");
    config.append("component-node name=l0 component=first input=input\n");
    String layer =
        """
        component name=l$.linear type=LinearComponent input-dim=192 output-dim=64
        component-node name=l$.linear component=l$.linear input=Append(Offset(%1, -1), %1)
        component name=l$.affine type=NaturalGradientAffineComponent input-dim=128 output-dim=96
        component-node name=l$.affine component=l$.affine input=Append(l$.linear, Offset(l$.linear, 1))
        component name=l$.relu type=RectifiedLinearComponent dim=96
        component-node name=l$.relu component=l$.relu input=l$.affine
        component name=l$.bn type=BatchNormComponent dim=96 test-mode=true
        component-node name=l$.bn component=l$.bn input=l$.relu
        component name=l$.dropout type=GeneralDropoutComponent dim=96 test-mode=true
        component-node name=l$.dropout component=l$.dropout input=l$.bn
        component name=l$ type=NoOpComponent dim=96
        component-node name=l$ component=l$ input=Sum(Scale(0.66, %1), l$.dropout)
        """;
    for (int k = 1; k <= layers; k++) {
      config.append(layer.replace("$", "" + k).replace("%1", "l" + (k - 1)));
    }
    config.append("output-node name=output input=l").append(layers).append('\n');
    return Nnet.fromConfig("factorized", config.toString(), 1);
  }

  /**
   * Three time offsets take one product each for the inner heights and one per edge, accumulated;
   * nothing is copied.
   */
  @Test
  void aConvolutionIsProductsAndOneKernel() {
    String request =
        "input input has-deriv=0\nrange n=0:4 t=-9:20\n"
            + "output output has-deriv=0\nrange n=0:4 t=0:11\n";
    Counts layer = counts(convolutions(3), request).minus(counts(convolutions(2), request));
    assertThat(layer).isEqualTo(new Counts(3, 9, 1));
  }

  /**
   * Derivatives by parameters are a product for each of three times, summed over heights, to which
   * those of the edges are added; those by the input are one for inner heights and one for each
   * edge, where a time is the first that is read, and are added up otherwise. Then there are, with
   * one kernel each, what is element-wise, those sums over heights, the sums for the bias, the
   * weights in the order in which heights read them, and a copy of their gradient.
   */
  @Test
  void aConvolutionBackwardCopiesWeightsOnly() {
    String request =
        "need-model-derivative 1\ninput input has-deriv=0\nrange n=0:4 t=-9:20\n"
            + "output output has-deriv=1\nrange n=0:4 t=0:11\n";
    Counts layer = backward(convolutions(4), request).minus(backward(convolutions(3), request));
    assertThat(layer).isEqualTo(new Counts(12, 24, 7));
  }

  private static Nnet convolutions(int layers) {
    var config = new StringBuilder("input-node name=input dim=160\n");
    config.append("component name=first type=NoOpComponent dim=160\n");
    config.append("component-node name=l0 component=first input=input\n");
    String layer =
        """
        component name=l$.conv type=TimeHeightConvolutionComponent num-filters-in=32 num-filters-out=32 height-in=5 height-out=5 height-offsets=-1,0,1 time-offsets=-1,0,1
        component-node name=l$.conv component=l$.conv input=%1
        component name=l$ type=RectifiedLinearComponent dim=160
        component-node name=l$ component=l$ input=l$.conv
        """;
    for (int k = 1; k <= layers; k++) {
      config.append(layer.replace("$", "" + k).replace("%1", "l" + (k - 1)));
    }
    config.append("output-node name=output input=l").append(layers).append('\n');
    return Nnet.fromConfig("convolutions", config.toString(), 1);
  }

  /**
   * Sums of ones, values and squares, beside the copy of the input and the remaining kernels; no
   * product accumulates.
   */
  @Test
  void statisticsOfAnUtteranceAreReductions() {
    String config =
        """
        input-node name=input dim=40
        component name=affine type=AffineComponent input-dim=40 output-dim=32
        component-node name=affine component=affine input=input
        component name=relu type=RectifiedLinearComponent dim=32
        component-node name=relu component=relu input=affine
        component name=extract type=StatisticsExtractionComponent input-dim=32 include-variance=true
        component-node name=extract component=extract input=relu
        component name=pool type=StatisticsPoolingComponent input-dim=65 left-context=0 right-context=1000 output-stddevs=true
        component-node name=pool component=pool input=extract
        output-node name=output input=pool
        """;
    String request =
        "input input has-deriv=0\nrange n=0:4 t=0:50\n"
            + "output output has-deriv=0\nrange n=0:4 t=0:1\n";
    Counts all = counts(Nnet.fromConfig("pooling", config, 1), request);
    assertThat(all).isEqualTo(new Counts(1, 1, 5));
  }

  /**
   * Four products: derivatives by parameters are one for each of two offsets, and derivatives of
   * what two offsets read are added up where they belong, in one call for rows that have a
   * derivative already and another one for those that have none. Then one kernel makes the sums
   * that normalization needs, all that is element-wise, and the sums for the bias, and one the
   * derivative that comes by the layer, to which products add. To save memory there is one more,
   * which computes what the layer made again.
   */
  @Test
  void aFactorizedLayerBackwardIsFourProductsAndTwoKernels() {
    String request =
        "need-model-derivative 1\ninput input has-deriv=0\nrange n=0:4 t=-9:20\n"
            + "output output has-deriv=1\nrange n=0:4 t=0:11\n";
    Counts layer = backward(training(4), request).minus(backward(training(3), request));
    assertThat(layer).isEqualTo(new Counts(6, 9, 2));
  }

  private static Counts backward(Nnet nnet, String request) {
    try (Context context = Context.open("cpu")) {
      var parsed = ComputationRequest.parse("request", request);
      var deviceParameters = new DeviceParameters(context);
      deviceParameters.lowering(STORED);
      var pass =
          new ForwardBackward(
              nnet, parsed, deviceParameters, places -> RequestStructure.of(nnet, places, STORED));
      var gradients = new GradientTensors(context, c -> c.has(Property.UPDATABLE), false);
      context.recordOnly(() -> pass.forward(gradients));
      Program backward = context.recordOnly(() -> pass.backward(gradients));
      return Counts.of(backward.explain());
    }
  }

  private static Nnet training(int layers) {
    var config = new StringBuilder("input-node name=input dim=96\n");
    config.append("component name=first type=AffineComponent input-dim=96 output-dim=96\n");
    config.append("component-node name=l0 component=first input=input\n");
    String layer =
        """
        component name=l$.linear type=TdnnComponent time-offsets=-1,0 use-bias=false input-dim=96 output-dim=64
        component-node name=l$.linear component=l$.linear input=%1
        component name=l$.affine type=TdnnComponent time-offsets=0,1 input-dim=64 output-dim=96
        component-node name=l$.affine component=l$.affine input=l$.linear
        component name=l$.relu type=RectifiedLinearComponent dim=96
        component-node name=l$.relu component=l$.relu input=l$.affine
        component name=l$.bn type=BatchNormComponent dim=96
        component-node name=l$.bn component=l$.bn input=l$.relu
        component name=l$.dropout type=GeneralDropoutComponent dim=96 dropout-proportion=0.1 continuous=true
        component-node name=l$.dropout component=l$.dropout input=l$.bn
        component name=l$ type=NoOpComponent dim=96
        component-node name=l$ component=l$ input=Sum(Scale(0.66, %1), l$.dropout)
        """;
    for (int k = 1; k <= layers; k++) {
      config.append(layer.replace("$", "" + k).replace("%1", "l" + (k - 1)));
    }
    config.append("output-node name=output input=l").append(layers).append('\n');
    return Nnet.fromConfig("factorized", config.toString(), 1);
  }

  /** The steps of a recurrence over three frames hold three frames each. */
  @Test
  void aRecurrentStepIsTwoProductsAndOneKernel() {
    Nnet nnet = Cases.nnet("x-fast-lstmp");
    String form =
        "input input has-deriv=0%nrange n=0:2 t=-4:%d%n"
            + "output output has-deriv=0%nrange n=0:2 t=0:%1$d%n";
    Counts steps =
        counts(nnet, String.format(Locale.ROOT, form, 60))
            .minus(counts(nnet, String.format(Locale.ROOT, form, 30)));
    // Both products add to what one product before the loop made of the input, and to an offset.
    assertThat(steps).isEqualTo(new Counts(0, 20, 10));
  }

  /**
   * Back through the projection and the gates, which add to what came from outside for all steps,
   * and one kernel each for the truncation and the cells.
   */
  @Test
  void aRecurrentStepBackwardIsTwoProductsAndTwoKernels() {
    Nnet nnet = Cases.nnet("x-fast-lstmp");
    String form =
        "need-model-derivative 1%ninput input has-deriv=0%nrange n=0:2 t=-4:%d%n"
            + "output output has-deriv=1%nrange n=0:2 t=0:%1$d%n";
    Counts steps =
        backward(nnet, String.format(Locale.ROOT, form, 60))
            .minus(backward(nnet, String.format(Locale.ROOT, form, 30)));
    assertThat(steps).isEqualTo(new Counts(10, 20, 20));
  }

  @Test
  void copiesOfWideAppendsAreNone() {
    Nnet nnet =
        Nnet.fromConfig(
            "spliced",
            """
            input-node name=input dim=64
            component name=a type=NaturalGradientAffineComponent input-dim=192 output-dim=5
            component-node name=a component=a input=Append(Offset(input, -1), input, Offset(input, 1))
            output-node name=output input=a
            """,
            1);
    String request =
        "input input has-deriv=0\nrange n=0:1 t=-1:9\n"
            + "output output has-deriv=0\nrange n=0:1 t=0:8\n";
    assertThat(counts(nnet, request)).isEqualTo(new Counts(1, 3, 1));
  }

  @Test
  void splicesOfTdnnsAreNotCopied() {
    Nnet nnet =
        Nnet.fromConfig(
            "tdnn",
            """
            input-node name=input dim=64
            component name=a type=TdnnComponent input-dim=64 output-dim=5 time-offsets=-1,0,1
            component-node name=a component=a input=input
            output-node name=output input=a
            """,
            1);
    String request =
        "input input has-deriv=0\nrange n=0:1 t=-1:9\n"
            + "output output has-deriv=0\nrange n=0:1 t=0:8\n";
    assertThat(counts(nnet, request)).isEqualTo(new Counts(1, 3, 1));
  }
}
