package ristretto.kernels.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.kernels.device.MemoryLimit;

class MemoryPoolTest {
  private final List<Long> released = new ArrayList<>();
  private int created;

  /** Handles are what was asked for. */
  private final MemoryPool<Long> pool =
      new MemoryPool<>(
          new MemoryPool.Source<>() {
            @Override
            public Long create(long bytes) {
              created++;
              return bytes;
            }

            @Override
            public void release(Long memory) {
              released.add(memory);
            }

            @Override
            public long total() {
              return 1L << 50;
            }

            @Override
            public String words() {
              return "memory";
            }
          },
          MemoryLimit.none("test"));

  @Test
  void memoryComesBackToItsSizeClassOnly() {
    var sizes = new ArrayList<Long>();
    for (long bytes = 1; bytes < 1L << 40; bytes += Math.max(1, bytes / 100)) {
      sizes.add(bytes);
    }
    for (long bytes : sizes) {
      long memory = pool.take(bytes);
      assertThat(memory).isBetween(bytes, Math.max(512, bytes + bytes / 8 + 256));
      pool.give(memory, bytes);
    }
    int classes = created;
    for (long bytes : sizes) {
      assertThat(pool.take(bytes)).isEqualTo(MemoryPool.sizeClass(bytes));
      pool.give(MemoryPool.sizeClass(bytes), bytes);
    }
    assertThat(created).isEqualTo(classes).isBetween(200, 300);
    pool.close();
    assertThat(released).hasSize(classes).doesNotHaveDuplicates();
  }

  @Test
  void theLastOneGivenIsTheFirstTaken() {
    pool.give(1000L, 1000);
    pool.give(1024L, 1000);
    assertThat(pool.take(1000)).isEqualTo(1024);
    assertThat(pool.take(1000)).isEqualTo(1000);
  }
}
