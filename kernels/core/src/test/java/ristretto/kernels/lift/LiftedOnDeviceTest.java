package ristretto.kernels.lift;

import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.DeviceProvider;
import ristretto.kernels.standin.StandInDevice;

/** Kernels of lifted lambdas give what the lambdas give, element by element. */
class LiftedOnDeviceTest {
  private static Device device;

  @BeforeAll
  static void open() {
    for (DeviceProvider provider : ServiceLoader.load(DeviceProvider.class)) {
      if (provider.kind().equals("cpu")) {
        device = provider.open(0);
      }
    }
  }

  @AfterAll
  static void close() {
    device.close();
  }

  static Stream<String> lambdas() {
    return LambdasOnDevice.names();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("lambdas")
  void kernelEqualsLambda(String name) throws Exception {
    LambdasOnDevice.check(device, name);
  }

  static Stream<String> loops() {
    return LambdasOnDevice.loops();
  }

  /** Runs the lambda as Java for TornadoVM. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("loops")
  void kernelForTornadoEqualsLambda(String name) throws Exception {
    try (var standIn = new StandInDevice(1)) {
      LambdasOnDevice.check(standIn, name);
    }
  }
}
