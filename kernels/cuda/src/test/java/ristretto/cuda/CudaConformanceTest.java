package ristretto.cuda;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.kernels.device.Conformance;

/** Random kernels of every kind do on a GPU what they do on the interpreting one. */
class CudaConformanceTest {
  /** Number of random kernels of each kind; set by -Dristretto.test.tries. */
  private static final int TRIES = Integer.getInteger("ristretto.test.tries", 10);

  private static final int LONGEST = 90;

  private static CudaDevice device;

  @BeforeAll
  static void open() {
    Hardware hardware = TestDevice.hardware();
    Assumptions.assumeTrue(hardware != null, TestDevice.reason());
    device = new CudaDevice(hardware);
  }

  @AfterAll
  static void close() {
    if (device != null) {
      device.close();
    }
  }

  /** The first number chooses the kind: map, row, scan, scatter or gemm, sort, convolution. */
  @ParameterizedTest
  @ValueSource(ints = {0, 3, 6, 7, 8, 9, 10, 11})
  void kernelsDoWhatTheInterpreterDoes(int kind) {
    numbers(kind).forEach(numbers -> Conformance.check(device, numbers));
  }

  @Test
  void soDoesTheLibrary() {
    System.setProperty("ristretto.cuda.blas", "cublas");
    try (var library = new CudaDevice(TestDevice.hardware())) {
      numbers(7)
          .filter(numbers -> Conformance.kernel(numbers).kind().equals("gemm"))
          .forEach(numbers -> Conformance.check(library, numbers));
    } finally {
      System.clearProperty("ristretto.cuda.blas");
    }
  }

  private static Stream<List<Integer>> numbers(int kind) {
    var random = new Random(kind);
    return Stream.generate(
            () -> Stream.concat(Stream.of(kind), random.ints(LONGEST, 0, 5040).boxed()).toList())
        .limit(kind == 7 ? 3L * TRIES : TRIES);
  }
}
