package ristretto.jmh.nnet3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ColdTimesTest {
  private static final String LOG =
      """
      LOG (nnet3-compile) Compiled in 431.2 ms, with all kernels
      LOG (nnet3-compile) Computed in 454.40 ms (round 1), 353.39 ms (round 3), 186.04 ms (best of 7);\
       within 15 % of the best after 1.2 s
      """;

  @Test
  void readsTheCommandsLog() throws IOException {
    assertThat(ColdTimes.parse(LOG))
        .isEqualTo(new ColdTimes(431.2, 454.4, 353.39, Double.NaN, 186.04, 1.2));
    assertThatThrownBy(() -> ColdTimes.parse("nothing"))
        .isInstanceOf(IOException.class)
        .hasMessage("nnet3-compile must log times of compiling and computing; got nothing");
  }

  @Test
  void takesTheMedianOfEachFigure() {
    assertThat(
            ColdTimes.median(
                List.of(
                    new ColdTimes(1, 20, 5, 6, 3, 0.3),
                    new ColdTimes(3, 10, 7, 5, 2, 0.1),
                    new ColdTimes(2, 30, 6, 4, 1, 0.2))))
        .isEqualTo(new ColdTimes(2, 20, 6, 5, 2, 0.2));
  }
}
