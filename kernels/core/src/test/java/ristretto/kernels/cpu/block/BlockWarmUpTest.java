package ristretto.kernels.cpu.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import ristretto.kernels.block.BlockFormat;

class BlockWarmUpTest {
  /** The scheduler prefers code whose scalar loops do more work. */
  @ParameterizedTest
  @EnumSource
  void heatIsTheWorkOfTheScalarCode(BlockFormat format) {
    assumeThat(TieredBlockCode.hasVectors())
        .as("vectors of %s bits", VectorBlockCode.LEAST_BITS)
        .isTrue();
    var decoded = new AtomicLong(7);
    var task = new BlockWarmUp(format, decoded::get, _ -> {});
    assertThat(task.heat()).isEqualTo(7);
    assertThat(task.advance()).as("milliseconds until the next turn").isNotNegative();
    decoded.set(4711);
    assertThat(task.heat()).isEqualTo(4711);
  }
}
