package ristretto.kernels.device;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/**
 * The kernels that devices are tested with keep the rules of the kernel IR, which {@link
 * OracleDevice} checks.
 */
class RandomKernelTest {
  @Property(tries = 60)
  void keepsTheRules(@ForAll @Size(max = 90) List<@IntRange(min = 0, max = 5039) Integer> numbers) {
    try (var oracle = new OracleDevice()) {
      Conformance.check(oracle, numbers);
    }
  }
}
