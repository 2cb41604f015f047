package ristretto.jmh.training;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class StandingTest {
  private static final TrainingLine LINE = TrainingLine.ALL.getFirst();

  private static Lap lap(Racer.Side side, int threads, double least, long peak, double loss) {
    return new Lap(side, threads, least, least, peak, List.of(loss));
  }

  private static Standing standing(Lap... laps) {
    return new Standing(LINE, List.of(laps));
  }

  @Test
  void eachSideCountsWithItsBetterThreads() {
    var s =
        standing(
            lap(Racer.Side.OURS, 1, 30, 5, 2.3),
            lap(Racer.Side.OURS, 2, 20, 5, 2.3),
            lap(Racer.Side.TORCH, 1, 40, 5, 2.3),
            lap(Racer.Side.TORCH, 2, 50, 5, 2.3));
    assertThat(s.ratio()).contains(2.0);
    assertThat(s.verdict()).isEqualTo("ok");
  }

  @Test
  void whatIsTooSlowOrTooLargeIsMissed() {
    var s = standing(lap(Racer.Side.OURS, 1, 40, 6, 2.3), lap(Racer.Side.TORCH, 1, 40, 5, 2.3));
    assertThat(s.verdict()).isEqualTo("missed: time, memory");
  }

  @Test
  void otherLossesAreAnotherModel() {
    var s = standing(lap(Racer.Side.OURS, 1, 10, 5, 2.4), lap(Racer.Side.TORCH, 1, 40, 5, 2.3));
    assertThat(s.verdict()).isEqualTo("not the same: loss 2.4 instead of 2.3 in step 1");
  }

  @Test
  void aloneThereIsNothingToCompare() {
    var s = standing(lap(Racer.Side.OURS, 1, 10, 5, 2.4));
    assertThat(s.verdict()).isEmpty();
    assertThat(TrainingTable.markdown(List.of(s)))
        .isEqualTo(
            """
            | line | ours ms | T | torch ms | T | copy ms | rival / ours | wanted | ours MB | torch MB |  |
            | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
            | mlp-1000 | 0.000 | 1 |  |  |  |  | 1.25 | 0.00 |  |  |
            """);
  }
}
