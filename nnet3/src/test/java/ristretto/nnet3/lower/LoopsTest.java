package ristretto.nnet3.lower;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LoopsTest {
  private static Loops.Shape shape(int same, int moving) {
    return new Loops.Shape(new int[] {same}, new int[] {moving}, false);
  }

  @Test
  void groupsThatMoveOnByTheSameDistanceAreALoop() {
    assertThat(Loops.of(20, k -> shape(k % 2, 7 * (k / 2))))
        .containsExactly(new Loops.Loop(0, 2, 10));
  }

  @Test
  void aLoopIsFoundAmongOtherSteps() {
    assertThat(Loops.of(30, k -> k < 3 || k > 25 ? null : shape((k - 3) % 3, k)))
        .containsExactly(new Loops.Loop(3, 3, 7));
  }

  @Test
  void oneThatGoesBackAndOneThatGoesOnAreTwo() {
    assertThat(Loops.of(20, k -> k < 10 ? shape(1, k) : shape(1, -k)))
        .containsExactly(new Loops.Loop(0, 1, 10), new Loops.Loop(10, 1, 10));
  }

  @Test
  void nodesThatAreSeveralTimesInAGroupDoNotMakeItShorter() {
    int[] moving = {0, 5, 100};
    assertThat(Loops.of(30, k -> shape(1, moving[k % 3] + k / 3)))
        .containsExactly(new Loops.Loop(0, 3, 10));
  }

  @Test
  void groupsBeginWhereTheyBestBegin() {
    assertThat(Loops.of(30, k -> new Loops.Shape(new int[] {k % 3}, new int[] {k}, k % 3 == 2)))
        .containsExactly(new Loops.Loop(2, 3, 9));
  }

  @Test
  void fewGroupsAreNone() {
    assertThat(Loops.of(10, k -> shape(k % 2, k))).isEmpty();
    assertThat(Loops.of(12, k -> shape(k % 2, k))).hasSize(1);
  }

  @Test
  void distancesThatGrowAreNone() {
    assertThat(Loops.of(40, k -> shape(1, k * k))).isEmpty();
  }
}
