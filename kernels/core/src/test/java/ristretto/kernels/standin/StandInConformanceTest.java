package ristretto.kernels.standin;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.kernels.device.Conformance;

/** Random kernels of every kind, as Java for TornadoVM, do what the interpreter does. */
class StandInConformanceTest {
  /** As many kernels of each kind; more with -Dristretto.test.tries. */
  private static final int TRIES = Integer.getInteger("ristretto.test.tries", 4);

  private static final int LONGEST = 90;

  /** The first number chooses the kind: map, row, scan, scatter or gemm, sort. */
  @ParameterizedTest
  @CsvSource({"0,1", "3,1", "6,1", "7,1", "8,1", "3,8", "6,8", "7,8", "8,8"})
  void kernelsDoWhatTheInterpreterDoes(int kind, int rowGroup) {
    try (var device = new StandInDevice(rowGroup)) {
      var random = new Random(kind);
      Stream.generate(
              () -> Stream.concat(Stream.of(kind), random.ints(LONGEST, 0, 5040).boxed()).toList())
          .limit(kind == 7 ? 3L * TRIES : TRIES)
          .forEach((List<Integer> numbers) -> Conformance.check(device, numbers));
    }
  }
}
