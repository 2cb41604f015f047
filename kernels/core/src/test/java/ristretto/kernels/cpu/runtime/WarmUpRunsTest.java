package ristretto.kernels.cpu.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When code is taken to be compiled, on a clock and a heap of the test's. */
class WarmUpRunsTest {
  private long now = 1;
  private long allocated;
  private int runs;
  private int compiledAfter = Integer.MAX_VALUE;
  private final WarmUpRuns warming =
      new WarmUpRuns(this::run, this::run, () -> now, () -> allocated);

  private void run() {
    runs++;
    now += 100_000;
    allocated += runs > compiledAfter ? 0 : 1000;
  }

  @Test
  void itGoesOnUntilNothingIsAllocated() {
    compiledAfter = 1000;
    int moments = 0;
    WarmUpRuns.State state;
    do {
      int before = runs;
      state = warming.advance();
      assertThat(runs - before).as("runs of a moment").isBetween(1, 70);
      moments++;
    } while (state == WarmUpRuns.State.GOES_ON);
    assertThat(state).isEqualTo(WarmUpRuns.State.COMPILED);
    assertThat(runs).isBetween(compiledAfter + 16, compiledAfter + 100);
    assertThat(moments).isGreaterThan(12);
  }

  /**
   * The launcher's thresholds are a hundredth of the usual ones: C2 compiles after some ten runs.
   */
  @Test
  void codeThatIsCompiledEarlyNeedsFewRuns() {
    compiledAfter = 12;
    while (warming.advance() == WarmUpRuns.State.GOES_ON) {
      assertThat(warming.pause()).as("milliseconds for the compilers").isEqualTo(10);
    }
    assertThat(runs).isBetween(12 + 24, 12 + 30);
  }

  @Test
  void aSlowCompilerIsWaitedForWithOneRunAtATime() {
    compiledAfter = 35;
    int tries = 0;
    while (warming.advance() == WarmUpRuns.State.GOES_ON) {
      tries++;
    }
    assertThat(tries).isBetween(25, 30);
    assertThat(runs).isBetween(35 + 24, 35 + 30);
  }

  /** Code that never allocates does not show when it is compiled. */
  @Test
  void codeThatNeverAllocatesRunsPastTheUsualThresholds() {
    compiledAfter = 0;
    while (warming.advance() == WarmUpRuns.State.GOES_ON) {
      assertThat(warming.pause()).isZero();
    }
    assertThat(runs).isBetween(480 + 24, 480 + 40);
  }

  @Test
  void pausesForTheCompilerGrow() {
    while (runs < 480 || warming.pause() == 0) {
      warming.advance();
    }
    int first = warming.pause();
    warming.advance();
    assertThat(warming.pause()).isEqualTo(first + 1);
    for (int k = 0; k < 100; k++) {
      warming.advance();
    }
    assertThat(warming.pause()).isEqualTo(50);
  }

  @Test
  void whatIsNeverCompiledIsGivenUp() {
    while (runs < 480 || warming.pause() == 0) {
      assertThat(warming.advance()).isEqualTo(WarmUpRuns.State.GOES_ON);
    }
    now += 59_000_000_000L;
    assertThat(warming.advance()).isEqualTo(WarmUpRuns.State.GOES_ON);
    now += 1_000_000_000L;
    assertThat(warming.advance()).isEqualTo(WarmUpRuns.State.GIVEN_UP);
  }
}
