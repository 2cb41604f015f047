package ristretto.opencl;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.kernels.device.Conformance;
import ristretto.kernels.driver.BlasChoice;
import ristretto.kernels.source.Target;

/** Random kernels of every kind do on an OpenCL device what they do on the interpreting one. */
class OpenClConformanceTest {
  /** Number of random kernels of each kind; set by -Dristretto.test.tries. */
  private static final int TRIES = Integer.getInteger("ristretto.test.tries", 10);

  private static final int LONGEST = 90;

  private static OpenClDevice device;
  private static OpenClDevice asGpu;

  @BeforeAll
  static void open() {
    Hardware hardware = TestDevice.hardware();
    Assumptions.assumeTrue(hardware != null, TestDevice.reason());
    device = new OpenClDevice(hardware, 0);
    Target target = device.target;
    asGpu =
        new OpenClDevice(
            hardware,
            0,
            new Target(target.dialect(), target.wide(), 256, 64, 8, target.localBytes()),
            BlasChoice.OWN);
  }

  @AfterAll
  static void close() {
    if (device != null) {
      device.close();
      asGpu.close();
    }
  }

  /** The first number chooses the kind: map, row, scan, scatter or gemm, sort, fused gemm. */
  @ParameterizedTest
  @ValueSource(ints = {0, 3, 6, 7, 8, 9, 11})
  void kernelsDoWhatTheInterpreterDoes(int kind) {
    numbers(kind).forEach(numbers -> Conformance.check(device, numbers));
  }

  /** With lanes that share rows, whatever the device. */
  @ParameterizedTest
  @ValueSource(ints = {3, 6, 7, 8, 9, 11})
  void kernelsForGpusDoWhatTheInterpreterDoes(int kind) {
    numbers(kind).forEach(numbers -> Conformance.check(asGpu, numbers));
  }

  private static Stream<List<Integer>> numbers(int kind) {
    var random = new Random(kind);
    return Stream.generate(
            () -> Stream.concat(Stream.of(kind), random.ints(LONGEST, 0, 5040).boxed()).toList())
        .limit(kind == 7 ? 3L * TRIES : TRIES);
  }
}
