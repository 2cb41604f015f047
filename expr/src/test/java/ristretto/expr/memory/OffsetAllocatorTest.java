package ristretto.expr.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OffsetAllocatorTest {
  private static final int STEPS = 60;
  private static final int BLOCKS = 80;

  private final int[] first = new int[BLOCKS];
  private final int[] last = new int[BLOCKS];
  private final int[] into = new int[BLOCKS];
  private final int[] until = {20, 45};
  private final long[] bytes = new long[BLOCKS];
  private final long[] capacities = {3000, 7001};

  private LiveRanges live(Random random) {
    for (int b = 0; b < BLOCKS; b++) {
      first[b] = random.nextInt(STEPS);
      last[b] = Math.min(STEPS - 1, first[b] + random.nextInt(random.nextBoolean() ? 4 : STEPS));
      into[b] = last[b] == until[0] ? 0 : last[b] == until[1] ? 1 : -1;
      bytes[b] = 1 + random.nextInt(random.nextBoolean() ? 200 : 4000);
    }
    return new LiveRanges(first, last, into, until);
  }

  /** No two blocks that are needed at a time overlap, and results are left alone in time. */
  private void holds(OffsetAllocator all, long[] sizes, long[] capacity) {
    int own = all.bytes().size();
    for (int b = 0; b < BLOCKS; b++) {
      int buffer = all.buffer(b);
      assertThat(all.offset(b) % 64).isZero();
      if (buffer < own) {
        assertThat(all.offset(b) + sizes[b]).isLessThanOrEqualTo(all.bytes().get(buffer));
      } else {
        assertThat(all.offset(b) + sizes[b]).isLessThanOrEqualTo(capacity[buffer - own]);
        boolean becomes = into[b] == buffer - own && all.offset(b) == 0;
        assertThat(last[b] < until[buffer - own] || becomes).isTrue();
      }
      for (int c = 0; c < b; c++) {
        if (all.buffer(c) == buffer && first[b] <= last[c] && first[c] <= last[b]) {
          assertThat(
                  all.offset(b) + sizes[b] <= all.offset(c)
                      || all.offset(c) + sizes[c] <= all.offset(b))
              .as("%d and %d", b, c)
              .isTrue();
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7})
  void nothingOverlapsAndLittleIsLeftOver(long seed) {
    LiveRanges live = live(new Random(seed));
    OffsetAllocator all = OffsetAllocator.best(live, bytes, 64, capacities, Long.MAX_VALUE);
    holds(all, bytes, capacities);
    assertThat(all.bytes()).hasSize(1);
    assertThat(all.excess()).isBetween(0.98, 1.15);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void buffersAreNoLargerThanBuffersMayBe(long seed) {
    LiveRanges live = live(new Random(seed));
    OffsetAllocator all = OffsetAllocator.best(live, bytes, 64, capacities, 8192);
    holds(all, bytes, capacities);
    assertThat(all.bytes()).hasSizeGreaterThan(1).allMatch(b -> b <= 8192);
    long[] large = bytes.clone();
    large[3] = 10_000;
    holds(OffsetAllocator.best(live, large, 64, capacities, 8192), large, capacities);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void otherSizesMoveBlocks(long seed) {
    var random = new Random(seed);
    LiveRanges live = live(random);
    OffsetAllocator all = OffsetAllocator.best(live, bytes, 64, new long[2], Long.MAX_VALUE);
    long[] twice = Arrays.stream(bytes).map(b -> 2 * b + random.nextInt(100)).toArray();
    OffsetAllocator moved = all.resized(twice, new long[2], Long.MAX_VALUE);
    holds(moved, twice, new long[2]);
    assertThat(moved.excess()).isBetween(0.98, 1.3);
    OffsetAllocator within = OffsetAllocator.best(live, bytes, 64, capacities, Long.MAX_VALUE);
    // there is no capacity for as much in results that have not grown
    assertThat(within.resized(twice, capacities, Long.MAX_VALUE)).isNull();
    long[] large = Arrays.stream(capacities).map(r -> 3 * r).toArray();
    holds(within.resized(twice, large, Long.MAX_VALUE), twice, large);
    assertThat(all.resized(twice, new long[2], 4000)).isNull();
  }
}
