package ristretto.kernels.cpu.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Turns of code that is being warmed up, on a clock of the test's. */
class WarmUpSchedulerTest {
  private static final long MILLI = 1_000_000;

  private final List<String> log = new ArrayList<>();
  private long now;
  private boolean busy;
  private final WarmUpScheduler warmUp = new WarmUpScheduler(() -> now, () -> busy);

  /** Takes a millisecond, and is over after some turns. */
  private final class Code implements WarmUpScheduler.Task {
    private final String name;
    private final int pause;
    private long heat = 1;
    private int turns;

    Code(String name, int turns, int pause) {
      this.name = name;
      this.turns = turns;
      this.pause = pause;
    }

    @Override
    public long heat() {
      return heat;
    }

    @Override
    public int advance() {
      log.add(name);
      now += MILLI;
      return --turns == 0 ? -1 : pause;
    }
  }

  @Test
  void whatIsUsedMostGoesFirst() {
    var rare = new Code("rare", 1, 0);
    var often = new Code("often", 2, 0);
    often.heat = 100;
    warmUp.add(rare);
    warmUp.add(often);
    warmUp.turn();
    often.heat += 50;
    warmUp.turn();
    assertThat(warmUp.turn()).isEqualTo(Long.MAX_VALUE);
    assertThat(log).containsExactly("often", "often", "rare");
  }

  @Test
  void othersRunWhileTheCompilerWorks() {
    var first = new Code("first", 2, 5);
    first.heat = 10;
    warmUp.add(first);
    warmUp.add(new Code("second", 1, 0));
    warmUp.turn();
    first.heat += 100;
    assertThat(warmUp.turn()).isEqualTo(4 * MILLI);
    now += 4 * MILLI;
    warmUp.turn();
    assertThat(log).containsExactly("first", "second", "first");
  }

  @Test
  void whatNobodyUsesGoesOnNowAndThen() {
    warmUp.add(new Code("once", 3, 0));
    warmUp.turn();
    warmUp.turn();
    assertThat(warmUp.turn()).isEqualTo(20 * MILLI);
    assertThat(log).hasSize(2);
    now += 20 * MILLI;
    assertThat(warmUp.turn()).isEqualTo(Long.MAX_VALUE);
    assertThat(log).hasSize(3);
  }

  @Test
  void whatNobodyUsesWaitsWhileKernelsTakeAllCores() {
    var once = new Code("once", 10, 0);
    warmUp.add(once);
    warmUp.turn();
    busy = true;
    for (int k = 0; k < 5; k++) {
      assertThat(warmUp.turn()).isEqualTo(50 * MILLI);
      now += 50 * MILLI;
    }
    assertThat(log).hasSize(1);
    once.heat++;
    warmUp.turn();
    assertThat(log).as("used again").hasSize(2);
    warmUp.turn();
    assertThat(log).hasSize(2);
    busy = false;
    now += 50 * MILLI;
    warmUp.turn();
    assertThat(log).as("cores are free").hasSize(3);
  }

  @Test
  void aTeamOfAllCoresTakesThemWhileItHasAJob() throws Exception {
    int cores = Runtime.getRuntime().availableProcessors();
    try (var team = new WorkerPool(cores + 1);
        var small = new WorkerPool(1)) {
      assertThat(WorkerPool.takeAllCores()).isFalse();
      var inside = new CountDownLatch(1);
      var seen = new boolean[2];
      team.run(
          ThreadContext.current().job,
          (job, chunk, chunks, context) -> {
            if (chunk == 0) {
              seen[0] = WorkerPool.takeAllCores();
              inside.countDown();
            }
            await(inside);
          },
          2);
      small.run(
          ThreadContext.current().job,
          (job, chunk, chunks, context) -> seen[1] |= WorkerPool.takeAllCores(),
          2);
      assertThat(seen).containsExactly(true, false);
      assertThat(WorkerPool.takeAllCores()).isFalse();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
