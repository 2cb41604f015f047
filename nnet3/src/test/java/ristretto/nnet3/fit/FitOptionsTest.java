package ristretto.nnet3.fit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import ristretto.nnet3.ComputationRequest;
import ristretto.nnet3.DerivativeTimes;
import ristretto.nnet3.network.SimpleContext;

class FitOptionsTest {
  private static final SimpleContext CONTEXT = new SimpleContext(2, 3);
  private final ComputationRequest request =
      ComputationRequest.parse(
          "test",
          "input input has-deriv=0\nrange n=0:1 t=-10:30\n"
              + "output output has-deriv=1\nrange n=0:1 t=0:20\n");

  @Test
  void marginsAreAroundWhatANetworkReads() {
    assertThat(new FitOptions.Times(5, 7, 9, 8).of(request, CONTEXT))
        .isEqualTo(new DerivativeTimes(-10, 30));
    assertThat(FitOptions.Times.ALL.of(request, CONTEXT)).isEqualTo(DerivativeTimes.ALL);
    assertThat(new FitOptions.Times(5, 7, Integer.MAX_VALUE, -1).of(request, CONTEXT))
        .isEqualTo(new DerivativeTimes(5, 7));
    assertThat(new FitOptions.Times(5, 7, 1, -1).of(request, CONTEXT))
        .isEqualTo(new DerivativeTimes(5, 20));
  }
}
