package ristretto.kernels.cpu;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
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
}
