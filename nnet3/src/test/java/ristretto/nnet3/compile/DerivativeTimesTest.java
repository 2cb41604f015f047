package ristretto.nnet3.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.expr.Context;
import ristretto.expr.Program;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.DerivativeTimes;
import ristretto.nnet3.Index;
import ristretto.nnet3.LoweringOptions;
import ristretto.nnet3.Property;
import ristretto.nnet3.lower.RequestStructure;
import ristretto.nnet3.network.Nnet;
import ristretto.nnet3.step.DeviceParameters;
import ristretto.nnet3.step.GradientTensors;

class DerivativeTimesTest {
  private static final ComputationRequest REQUEST =
      ComputationRequest.parse(
          "request",
          "need-model-derivative 1\ninput input has-deriv=0\nrange n=0:2 t=-20:20\n"
              + "output output has-deriv=1\nrange n=0:2 t=0:20\n");

  /** A recurrence is left before its ends, and products are of as many rows. */
  @Test
  void backwardIsShorter() {
    int all = lines(DerivativeTimes.ALL);
    int half = lines(new DerivativeTimes(0, Integer.MAX_VALUE));
    int few = lines(new DerivativeTimes(15, 19));
    assertThat(half).isLessThan(all * 2 / 3);
    assertThat(few).isLessThan(half * 2 / 3);
  }

  private static int lines(DerivativeTimes times) {
    Nnet nnet =
        Nnet.fromConfig(
            "recurrent",
            """
            input-node name=input dim=4
            component name=a type=AffineComponent input-dim=12 output-dim=8
            component name=r type=TanhComponent dim=8
            component-node name=a component=a input=Append(input, IfDefined(Offset(r, -1)))
            component-node name=r component=r input=a
            output-node name=output input=r
            """,
            1);
    try (Context context = Context.open("cpu")) {
      ForwardBackward pass =
          new ForwardBackward(
                  nnet,
                  REQUEST,
                  new DeviceParameters(context),
                  places -> RequestStructure.of(nnet, places, LoweringOptions.DEFAULT))
              .limited(times);
      var gradients = new GradientTensors(context, c -> c.has(Property.UPDATABLE), false);
      context.recordOnly(() -> pass.forward(gradients));
      Program backward = context.recordOnly(() -> pass.backward(gradients));
      return (int) backward.explain().toString().lines().count();
    }
  }

  @Test
  void theLastTimeMayDependOnTheRequest() {
    assertThat(new DerivativeTimes(3, 100).relativeTo(REQUEST, 5))
        .isEqualTo(new DerivativeTimes(3, 24));
  }

  @Test
  void rowsThatLieApartAreAll() {
    var times = new DerivativeTimes(0, 1);
    List<Index> sorted = List.of(new Index(0, -1), new Index(0, 0), new Index(0, 1));
    assertThat(times.run(sorted)).isEqualTo(new DerivativeTimes.Run(1, 3));
    List<Index> apart = List.of(new Index(0, 0), new Index(0, 2), new Index(0, 1));
    assertThat(times.run(apart)).isEqualTo(new DerivativeTimes.Run(0, 3));
    assertThat(times.run(List.of(new Index(0, 7))).size()).isZero();
  }

  @Test
  void theFirstTimeIsNotAfterTheLast() {
    assertThatThrownBy(() -> new DerivativeTimes(5, 4))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[compile] the first time of derivatives must not be after the last; got 5 and 4;"
                + " give a larger max-deriv-time or a smaller min-deriv-time.");
  }
}
