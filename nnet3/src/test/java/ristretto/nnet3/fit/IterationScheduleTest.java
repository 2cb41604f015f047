package ristretto.nnet3.fit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/** Numbers are those of Kaldi's scripts. */
class IterationScheduleTest {
  private static IterationSchedule schedule(int archives, double epochs, int first, int last) {
    return new IterationSchedule(
        archives, (int) (epochs * archives), first, last, 1, 0.001, 0.0001);
  }

  private static void check(IterationSchedule schedule, List<Integer> jobs, double... rates) {
    assertThat(IntStream.range(0, schedule.iterations()).map(schedule::jobs).boxed().toList())
        .isEqualTo(jobs);
    for (int k = 0; k < rates.length; k++) {
      assertThat(schedule.rate(k) * schedule.jobs(k))
          .isCloseTo(rates[k], Percentage.withPercentage(1e-3));
    }
    assertThat(schedule.rate(schedule.iterations() - 1)).isEqualTo(0.0001);
  }

  @Test
  void jobsAndRatesAreKaldis() {
    check(schedule(10, 3, 2, 5), List.of(2, 2, 3, 3, 4, 4, 4, 5), 0.002, 0.00171539, 0.00220693);
    check(schedule(7, 1.5, 3, 1), List.of(3, 3, 2, 2, 1), 0.003, 0.00150356, 0.000502377);
    IterationSchedule one = schedule(4, 5, 1, 1);
    assertThat(one.iterations()).isEqualTo(20);
    assertThat(one.rate(4)).isCloseTo(0.000630957, Percentage.withPercentage(1e-3));
    assertThat(one.used(8)).isEqualTo(8);
    assertThat(one.part(8)).isEqualTo(0.4);
    assertThat(one.epoch(8)).isEqualTo(2);
  }

  @Test
  void jobsAreMultiplesOfAStep() {
    var one = new IterationSchedule(66, 66, 2, 9, 1, 0.001, 0.0001);
    assertThat(IntStream.range(0, one.iterations()).map(one::jobs).boxed().toList())
        .containsExactly(2, 3, 3, 4, 4, 5, 6, 6, 7, 7, 8, 8);
    var three = new IterationSchedule(66, 66, 2, 9, 3, 0.001, 0.0001);
    assertThat(IntStream.range(0, three.iterations()).map(three::jobs).boxed().toList())
        .containsExactly(2, 3, 3, 3, 3, 6, 6, 6, 6, 6, 9, 9);
  }

  @Test
  void theLastNetworksAreCombined() {
    assertThat(schedule(4, 5, 1, 1).combined(20))
        .containsExactly(20, 19, 18, 17, 16, 15, 14, 13, 12, 11);
    assertThat(schedule(10, 3, 2, 5).combined(20)).containsExactly(8, 7, 6, 5);
    assertThat(schedule(7, 1.5, 3, 1).combined(4)).containsExactly(5, 4);
    assertThat(schedule(100, 4, 2, 2).combined(20)).hasSize(26).startsWith(200).endsWith(175);
    assertThat(schedule(100, 4, 2, 2).combined(8))
        .containsExactly(200, 199, 196, 193, 190, 187, 184, 181, 178, 175);
    assertThat(schedule(1, 1, 1, 1).combined(20)).containsExactly(1);
  }

  @Test
  void theFirstMinibatchesAreHalf() {
    assertThat(IterationSchedule.halved("64")).isEqualTo("32");
    assertThat(IterationSchedule.halved("1:64,9")).isEqualTo("1:32,4");
    assertThat(IterationSchedule.halved("128=64:128,256/256=32:64,128"))
        .isEqualTo("128=32:64,128/256=16:32,64");
  }
}
