package ristretto.kernels.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.MemoryLimit;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

class CpuDeviceTest {
  @Test
  void kernelsAreVerifiedBeforeTheyArePrepared() {
    var tape = new TapeBuilder();
    var wrong = new Operand.Memory(ScalarType.F64, 0, new Affine(0, Longs.of(1)));
    var kernel =
        new Kernel.Map(
            "map_wrong",
            Longs.of(4),
            tape.build(tape.input(0, ScalarType.F32)),
            List.of(wrong),
            List.of(wrong));
    try (var device = new CpuDevice(new CpuSettings(1, MemoryLimit.none("cpu")))) {
      assertThatThrownBy(() -> device.prepare(kernel))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("[verify] slot 0 is F32, its operand F64; after planning;");
    }
  }

  /** Large transfers are made by several threads, unless the memory is confined to one. */
  @ParameterizedTest
  @ValueSource(longs = {0, 1, (512 << 10) - 1, 512 << 10, (1 << 20) + 13})
  void transfersCopyAllBytes(long size) {
    var random = new Random(1);
    try (var device = new CpuDevice(new CpuSettings(3, MemoryLimit.none("cpu")));
        Arena confined = Arena.ofConfined()) {
      var bytes = new byte[Math.toIntExact(size)];
      random.nextBytes(bytes);
      MemorySegment own = confined.allocate(size);
      own.copyFrom(MemorySegment.ofArray(bytes));
      for (MemorySegment source : List.of(MemorySegment.ofArray(bytes), own)) {
        Buffer buffer = device.allocate(size + 9);
        device.write(buffer, 0, MemorySegment.ofArray(new byte[(int) size + 9]));
        device.write(buffer, 5, source);
        var read = new byte[bytes.length + 9];
        device.read(buffer, 0, MemorySegment.ofArray(read));
        assertThat(Arrays.copyOfRange(read, 5, 5 + bytes.length)).isEqualTo(bytes);
        assertThat(read).startsWith(0, 0, 0, 0, 0).endsWith(0, 0, 0, 0);
        MemorySegment target = confined.allocate(size);
        device.read(buffer, 5, target);
        assertThat(target.mismatch(source)).isEqualTo(-1);
      }
    }
  }
}
