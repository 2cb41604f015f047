package ristretto.nnet3.compile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.LoweringOptions;
import ristretto.nnet3.Rematerialization;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.step.DeviceParameters;

/** Memory of computations, in units of a value of 100 frames of 64 columns. */
class MemoryTest {
  private static final double VALUE = 100 * 64 * Float.BYTES;

  private static double values(String config) {
    return values(config, 100, LoweringOptions.DEFAULT);
  }

  private static double values(String config, int frames, LoweringOptions lowering) {
    String request =
        String.format(Locale.ROOT, "input input has-deriv=0\nrange n=0:1 t=-9:%d\n", frames)
            + String.format(Locale.ROOT, "output output has-deriv=0\nrange n=0:1 t=0:%d\n", frames);
    if (!config.contains("Offset")) {
      request = request.replace("-9:", "0:");
    }
    try (Context context = Context.open("cpu")) {
      var parsed = ComputationRequest.parse("request", request);
      Nnet nnet = Nnet.fromConfig("net", config, 1);
      var deviceParameters = new DeviceParameters(context);
      deviceParameters.lowering(lowering);
      return Computation.compile(nnet, parsed, deviceParameters).bytes() / VALUE;
    }
  }

  /** Input, output, and one value: the other one that a layer needs is where the output will be. */
  @Test
  void anOutputIsPlaceForWhatComesBeforeIt() {
    var config = new StringBuilder("input-node name=input dim=64\n");
    String last = "input";
    for (int k = 0; k < 6; k++) {
      config.append(
          String.format(
              Locale.ROOT,
              """
              component name=a%1$d type=AffineComponent input-dim=64 output-dim=64
              component-node name=a%1$d component=a%1$d input=%2$s
              component name=r%1$d type=RectifiedLinearComponent dim=64
              component-node name=r%1$d component=r%1$d input=a%1$d
              """,
              k,
              last));
      last = "r" + k;
    }
    config.append("output-node name=output input=").append(last).append('\n');
    assertThat(values(config.toString())).isEqualTo(3);
  }

  /** A row is normalized in the place of what is normalized. */
  @Test
  void rowsAreNormalizedInPlace() {
    String config =
        """
        input-node name=input dim=64
        component name=a type=AffineComponent input-dim=64 output-dim=64
        component-node name=a component=a input=input
        component name=s type=LogSoftmaxComponent dim=64
        component-node name=s component=s input=a
        output-node name=output input=s
        """;
    assertThat(values(config)).isEqualTo(2);
  }

  /**
   * Only a part of the values is live at a time if values are large beside outputs and parameters.
   */
  @Test
  void longUtterancesAreComputedInBlocks() {
    String config =
        """
        input-node name=input dim=4
        component name=a type=AffineComponent input-dim=8 output-dim=64
        component-node name=a component=a input=Append(Offset(input, -3), input)
        component name=r type=RectifiedLinearComponent dim=64
        component-node name=r component=r input=a
        component name=b type=AffineComponent input-dim=128 output-dim=64
        component-node name=b component=b input=Append(Offset(r, -6), r)
        component name=s type=LogSoftmaxComponent dim=64
        component-node name=s component=s input=b
        component name=c type=AffineComponent input-dim=64 output-dim=2
        component-node name=c component=c input=s
        output-node name=output input=c
        """;
    LoweringOptions whole = new LoweringOptions(Rematerialization.CHEAP, true, true, true, 0);
    assertThat(values(config, 1000, whole)).isBetween(20.0, 22.0);
    assertThat(values(config, 1000, LoweringOptions.DEFAULT)).isBetween(5.0, 7.0);
    // too short
    assertThat(values(config, 400, LoweringOptions.DEFAULT)).isEqualTo(values(config, 400, whole));
  }
}
