package ristretto.kernels.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.kernels.DeviceException;

class MemoryLimitTest {
  @Test
  void isANumberOfBytesPerhapsWithAUnit() {
    assertThat(MemoryLimit.parse("cuda", "77").bytes()).isEqualTo(77);
    assertThat(MemoryLimit.parse("cuda", "3k").bytes()).isEqualTo(3 << 10);
    assertThat(MemoryLimit.parse("cuda", "512M").bytes()).isEqualTo(512 << 20);
    assertThat(MemoryLimit.parse("cuda", "4g").bytes()).isEqualTo(4L << 30);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "m", "0", "-5", "much", "9999999999g", "1.5g"})
  void anythingElseIsRefused(String text) {
    assertThatThrownBy(() -> MemoryLimit.parse("opencl", text))
        .isInstanceOf(DeviceException.class)
        .hasMessage(
            "[opencl] the memory limit must be a positive number of bytes, such as 512m or 4g; got"
                + " \""
                + text
                + "\"; correct -Dristretto.opencl.memory-limit");
  }

  @Test
  void allowsWhatIsLeft() {
    var limit = new MemoryLimit("cpu", 100);
    assertThat(limit.allows(60, 40)).isTrue();
    assertThat(limit.allows(60, 41)).isFalse();
    assertThat(MemoryLimit.none("cpu").allows(1L << 40, Long.MAX_VALUE - (1L << 40))).isTrue();
  }

  @Test
  void theDevicesOwnMemoryIsPartOfTheMessage() {
    assertThat(
            MemoryLimit.none("opencl")
                .exceeded(1L << 40, 20_000, 24_576, " of 2.0 GiB", List.of(20_000L)))
        .hasMessage(
            "[allocate] memory must suffice; asked for 1.0 TiB with 19.5 KiB in use (24.0 KiB with"
                + " rounding) of 2.0 GiB; the largest of 1 buffers hold 19.5 KiB; release tensors"
                + " that are no longer needed, or close other contexts");
  }
}
