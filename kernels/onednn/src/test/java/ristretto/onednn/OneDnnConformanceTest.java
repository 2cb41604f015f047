package ristretto.onednn;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterContainer;
import ristretto.kernels.cpu.CpuProvider;
import ristretto.kernels.device.Conformance;
import ristretto.kernels.device.Device;

/** Random convolutions do on the cpu device what they do on the interpreting one. */
class OneDnnConformanceTest {
  /** The number by which a random kernel is a convolution. */
  private static final int CONVOLUTION = 10;

  private static final Device DEVICE = new CpuProvider().open(0);

  @AfterContainer
  static void close() {
    DEVICE.close();
  }

  @Property(tries = 300)
  void convolutionsDoWhatTheInterpreterDoes(
      @ForAll @Size(max = 60) List<@IntRange(min = 0, max = 5039) Integer> numbers) {
    var all = new ArrayList<Integer>(List.of(CONVOLUTION));
    all.addAll(numbers);
    Conformance.check(DEVICE, all);
  }
}
