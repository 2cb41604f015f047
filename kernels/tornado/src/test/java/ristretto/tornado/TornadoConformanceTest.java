package ristretto.tornado;

import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.kernels.device.Conformance;
import ristretto.kernels.driver.DriverProvider.Found;
import ristretto.kernels.lift.LambdasOnDevice;
import ristretto.kernels.source.Target;

/** Random kernels of every kind do on a TornadoVM device what they do on the interpreting one. */
class TornadoConformanceTest {
  /** Number of random kernels of each kind; set by -Dristretto.test.tries. */
  private static final int TRIES = Integer.getInteger("ristretto.test.tries", 10);

  private static final int LONGEST = 90;

  private static TornadoDevice device;
  private static TornadoDevice asGpu;

  @BeforeAll
  static void open() {
    Found<Accelerator> found = Sdk.find();
    Assumptions.assumeFalse(found.devices().isEmpty(), found.reason());
    Accelerator accelerator = found.devices().getFirst();
    device = new TornadoDevice(accelerator, 0);
    Target t = device.target;
    asGpu =
        new TornadoDevice(
            accelerator, 0, new Target(t.dialect(), t.wide(), 256, 64, 8, t.localBytes()));
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

  static Stream<String> lambdas() {
    return LambdasOnDevice.loops();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("lambdas")
  void loopsOfLambdasDoWhatTheyDoInJava(String name) throws Exception {
    LambdasOnDevice.check(device, name);
  }

  private static Stream<List<Integer>> numbers(int kind) {
    var random = new Random(kind);
    return Stream.generate(
            () -> Stream.concat(Stream.of(kind), random.ints(LONGEST, 0, 5040).boxed()).toList())
        .limit(kind == 7 ? 3L * TRIES : TRIES);
  }
}
