package ristretto.nnet3.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import ristretto.kernels.FileException;
import ristretto.kernels.ShapeException;
import ristretto.nnet3.network.Nnet;
import ristretto.symbolic.optim.OuterStep;

class OuterMomentumTest {
  private static final String CONFIG =
      """
      input-node name=input dim=2
      component name=a type=NaturalGradientAffineComponent input-dim=2 output-dim=3
      component name=b type=BatchNormComponent dim=3
      component name=c type=AffineComponent input-dim=3 output-dim=2
      component-node name=a component=a input=input
      component-node name=b component=b input=a
      component-node name=c component=c input=b
      output-node name=output input=c
      """;

  @TempDir private Path folder;

  private final Nnet before = Nnet.fromConfig("test", CONFIG, 1);

  /** Network whose parameters all have a value. */
  private Nnet filled(float value) {
    var all = new float[(int) before.parameterCount()];
    java.util.Arrays.fill(all, value);
    Nnet filled = before.copy();
    FlatParameters.replace(filled, all);
    return filled;
  }

  @Test
  void theFormulaIsNesterovs() {
    var momentum = new OuterMomentum(folder, new OuterStep(0.7, 0.9));
    int n = (int) before.parameterCount();
    assertThat(n).isEqualTo(2 * 3 + 3 + 3 * 2 + 2);
    Nnet average = filled(3);
    momentum.step(1, filled(5), average);
    // gradient 2, velocity 2, step 0.7 * (2 + 0.9 * 2)
    assertThat(FlatParameters.of(average)).containsOnly(2.34f);
    average = filled(1);
    momentum.step(2, filled(2), average);
    // gradient 1, velocity 0.9 * 2 + 1 = 2.8, step 0.7 * (1 + 0.9 * 2.8)
    for (float value : FlatParameters.of(average)) {
      assertThat(value).isCloseTo(2 - 0.7f * 3.52f, within(1e-6f));
    }
  }

  @Test
  void averagesAreKeptWithoutMomentum() {
    float[] parameters = FlatParameters.of(before);
    new OuterMomentum(folder, new OuterStep(1, 0)).step(1, filled(7), before);
    assertThat(FlatParameters.of(before)).isEqualTo(parameters);
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void aMissingVelocityIsNotZero() {
    var momentum = new OuterMomentum(folder, new OuterStep(1, 0.5));
    assertThatThrownBy(() -> momentum.step(2, before, filled(1)))
        .isInstanceOf(FileException.class)
        .hasMessageContaining("velocity-2.vec");
  }

  @Test
  void parametersOfAnotherNetworkAreRefused() {
    assertThatThrownBy(() -> FlatParameters.replace(before, new float[3]))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[nnet] replaced parameters must be as many as the network has; got 3 for 17; give"
                + " those of the same network.");
  }
}
