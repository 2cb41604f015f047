package ristretto.expr;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArrangementTest {
  private static final int STEPS = 60;
  private static final int BLOCKS = 80;

  private final int[] first = new int[BLOCKS];
  private final int[] last = new int[BLOCKS];
  private final int[] into = new int[BLOCKS];
  private final int[] until = {20, 45};
  private final long[] bytes = new long[BLOCKS];
  private final long[] rooms = {3000, 7001};

  private Lives lives(Random random) {
    for (int b = 0; b < BLOCKS; b++) {
      first[b] = random.nextInt(STEPS);
      last[b] = Math.min(STEPS - 1, first[b] + random.nextInt(random.nextBoolean() ? 4 : STEPS));
      into[b] = last[b] == until[0] ? 0 : last[b] == until[1] ? 1 : -1;
      bytes[b] = 1 + random.nextInt(random.nextBoolean() ? 200 : 4000);
    }
    return new Lives(first, last, into, until);
  }

  /** No two blocks that are needed at a time overlap, and results are left alone in time. */
  private void holds(Arrangement all, long[] sizes, long[] room) {
    int own = all.bytes().size();
    for (int b = 0; b < BLOCKS; b++) {
      int piece = all.piece(b);
      assertThat(all.offset(b) % 64).isZero();
      if (piece < own) {
        assertThat(all.offset(b) + sizes[b]).isLessThanOrEqualTo(all.bytes().get(piece));
      } else {
        assertThat(all.offset(b) + sizes[b]).isLessThanOrEqualTo(room[piece - own]);
        boolean becomes = into[b] == piece - own && all.offset(b) == 0;
        assertThat(last[b] < until[piece - own] || becomes).isTrue();
      }
      for (int c = 0; c < b; c++) {
        if (all.piece(c) == piece && first[b] <= last[c] && first[c] <= last[b]) {
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
    Lives lives = lives(new Random(seed));
    Arrangement all = Arrangement.best(lives, bytes, 64, rooms, Long.MAX_VALUE);
    holds(all, bytes, rooms);
    assertThat(all.bytes()).hasSize(1);
    assertThat(all.excess()).isBetween(0.98, 1.15);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void piecesAreNoLargerThanBuffersMayBe(long seed) {
    Lives lives = lives(new Random(seed));
    Arrangement all = Arrangement.best(lives, bytes, 64, rooms, 8192);
    holds(all, bytes, rooms);
    assertThat(all.bytes()).hasSizeGreaterThan(1).allMatch(b -> b <= 8192);
    long[] large = bytes.clone();
    large[3] = 10_000;
    holds(Arrangement.best(lives, large, 64, rooms, 8192), large, rooms);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void otherSizesMoveBlocks(long seed) {
    var random = new Random(seed);
    Lives lives = lives(random);
    Arrangement all = Arrangement.best(lives, bytes, 64, new long[2], Long.MAX_VALUE);
    long[] twice = Arrays.stream(bytes).map(b -> 2 * b + random.nextInt(100)).toArray();
    Arrangement moved = all.resized(twice, new long[2], Long.MAX_VALUE);
    holds(moved, twice, new long[2]);
    assertThat(moved.excess()).isBetween(0.98, 1.3);
    Arrangement within = Arrangement.best(lives, bytes, 64, rooms, Long.MAX_VALUE);
    // there is no room for as much in results that have not grown
    assertThat(within.resized(twice, rooms, Long.MAX_VALUE)).isNull();
    long[] large = Arrays.stream(rooms).map(r -> 3 * r).toArray();
    holds(within.resized(twice, large, Long.MAX_VALUE), twice, large);
    assertThat(all.resized(twice, new long[2], 4000)).isNull();
  }
}
