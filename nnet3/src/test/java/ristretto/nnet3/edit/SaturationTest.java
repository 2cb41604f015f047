package ristretto.nnet3.edit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.network.Nnet;

class SaturationTest {
  private final Nnet nnet =
      Nnet.fromConfig(
          "test",
          """
          input-node name=input dim=2
          component name=s type=SigmoidComponent dim=2
          component name=t type=TanhComponent dim=2
          component name=r type=RectifiedLinearComponent dim=2
          component name=l type=LstmNonlinearityComponent cell-dim=2
          component-node name=s component=s input=input
          component-node name=t component=t input=s
          component-node name=r component=r input=t
          output-node name=output input=r
          """,
          0);

  private void seen(String component, float... slopes) {
    var of = (ComponentBase) nnet.components().get(component);
    of.addStatistics("values", new float[slopes.length], 10);
    of.addStatistics("derivs", slopes, 10);
  }

  @Test
  void nothingSeenIsNotSaturated() {
    assertThat(Saturation.of(nnet)).isZero();
  }

  @Test
  void isTheMeanOverFunctions() {
    seen("s", 0.5f, 1);
    seen("r", 0, 0);
    assertThat(Saturation.of(nnet)).isCloseTo(0.7, within(1e-6));
    seen("t", 8, 10);
    assertThat(Saturation.of(nnet)).isCloseTo((0.7 + 0.1) / 2, within(1e-6));
    // i, f, c, o and m
    seen("l", 2.5f, 2.5f, 2, 3, 5, 5, 0, 0, 10, 9);
    assertThat(Saturation.of(nnet))
        .isCloseTo((0.7 + 0.1 + 0 + 0 + 0.5 + 1 + 0.05) / 7, within(1e-6));
  }
}
