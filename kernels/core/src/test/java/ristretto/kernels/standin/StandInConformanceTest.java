package ristretto.kernels.standin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.kernels.device.Conformance;
import ristretto.kernels.ir.Kernel;

/** Random kernels of every kind, as Java for TornadoVM, do what the interpreter does. */
class StandInConformanceTest {
  /** Number of random kernels of each kind; set by -Dristretto.test.tries. */
  private static final int TRIES = Integer.getInteger("ristretto.test.tries", 4);

  private static final int LONGEST = 90;

  /**
   * The first number chooses the kind: map, row, scan, scatter or gemm, sort, fused gemm,
   * recurrence.
   */
  @ParameterizedTest
  @CsvSource({"0,1", "3,1", "6,1", "7,1", "8,1", "9,1", "11,1", "3,8", "6,8", "7,8", "8,8", "9,8"})
  void kernelsDoWhatTheInterpreterDoes(int kind, int rowGroup) {
    try (var device = new StandInDevice(rowGroup)) {
      numbers(kind).forEach(numbers -> Conformance.check(device, numbers));
    }
  }

  @Test
  void kindsThatAreTried() {
    assertThat(
            IntStream.of(0, 3, 6, 7, 8, 9, 10, 11, 12)
                .boxed()
                .flatMap(StandInConformanceTest::numbers)
                .map(numbers -> Conformance.kernel(numbers).getClass())
                .collect(Collectors.<Class<?>>toSet()))
        .containsExactlyInAnyOrderElementsOf(records(Kernel.class).toList());
  }

  private static Stream<Class<?>> records(Class<?> kind) {
    return kind.isSealed()
        ? Stream.of(kind.getPermittedSubclasses()).flatMap(StandInConformanceTest::records)
        : Stream.of(kind);
  }

  private static Stream<List<Integer>> numbers(int kind) {
    var random = new Random(kind);
    return Stream.generate(
            () -> Stream.concat(Stream.of(kind), random.ints(LONGEST, 0, 5040).boxed()).toList())
        .limit(kind == 7 ? 3L * TRIES : TRIES);
  }
}
