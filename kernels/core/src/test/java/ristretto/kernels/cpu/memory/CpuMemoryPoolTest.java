package ristretto.kernels.cpu.memory;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import ristretto.kernels.DeviceException;
import ristretto.kernels.cpu.CpuProvider;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.MemoryLimit;
import ristretto.kernels.driver.DriverDeviceContract;

class CpuMemoryPoolTest {
  private static final long MIB = 1 << 20;

  @Test
  void aFullPoolSaysWhatHoldsItsMemory() {
    try (var pool = new CpuMemoryPool(new MemoryLimit("cpu", 64 * MIB))) {
      var buffers = new ArrayList<CpuBuffer>();
      for (long mib : new long[] {3, 20, 7, 1, 9, 5}) {
        buffers.add(pool.allocate(mib * MIB));
      }
      assertThatThrownBy(() -> pool.allocate(30 * MIB))
          .isInstanceOf(DeviceException.class)
          .hasMessage(
              "[allocate] memory must suffice; asked for 30.0 MiB with 45.0 MiB in use (49.0 MiB"
                  + " with rounding) and a limit of 64.0 MiB; the largest of 6 buffers hold 20.0"
                  + " MiB, 9.0 MiB, 7.0 MiB, 5.0 MiB, 3.0 MiB; release tensors that are no longer"
                  + " needed, or raise -Dristretto.cpu.memory-limit");
      buffers.get(1).close();
      pool.allocate(30 * MIB);
    }
  }

  @Test
  void aFullMachineSaysWhatHoldsItsMemory() {
    try (var pool = new CpuMemoryPool(MemoryLimit.none("cpu"))) {
      assertThatThrownBy(() -> pool.allocate(Long.MAX_VALUE / 2))
          .isInstanceOf(DeviceException.class)
          .hasMessage(
              "[allocate] memory must suffice; asked for 4.0 EiB with 0 bytes in use (0 bytes with"
                  + " rounding); release tensors that are no longer needed, or close other"
                  + " contexts");
      pool.allocate(MIB);
    }
  }

  @Test
  void partsAreBuffersOfTheirOwn() {
    try (Device device = new CpuProvider().open(0)) {
      DriverDeviceContract.checkParts(device);
    }
  }
}
