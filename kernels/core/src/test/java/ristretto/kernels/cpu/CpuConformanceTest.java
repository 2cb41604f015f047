package ristretto.kernels.cpu;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterContainer;
import ristretto.kernels.device.Conformance;
import ristretto.kernels.device.Device;

/** Random kernels of every kind do on the cpu device what they do on the interpreting one. */
class CpuConformanceTest {
  private static final Device DEVICE = new CpuProvider().open(0);

  @AfterContainer
  static void close() {
    DEVICE.close();
  }

  @Property(tries = 100)
  void kernelsDoWhatTheInterpreterDoes(
      @ForAll @Size(max = 90) List<@IntRange(min = 0, max = 5039) Integer> numbers) {
    Conformance.check(DEVICE, numbers);
  }
}
