package ristretto.nnet3.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class RunTimesTest {
  @Test
  void warmIsTheFirstRoundNearTheBest() {
    var times = new RunTimes(List.of(0.0, 0.4, 0.6, 0.7), List.of(400.0, 200.0, 114.0, 100.0));
    assertThat(times.best()).isEqualTo(100);
    assertThat(times.warmAfter()).isEqualTo(0.6);
    assertThat(times.line())
        .isEqualTo(
            "Computed in 400.00 ms (round 1), 114.00 ms (round 3), 100.00 ms (best of 4); within 15"
                + " % of the best after 0.6 s");
  }
}
