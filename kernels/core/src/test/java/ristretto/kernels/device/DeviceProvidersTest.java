package ristretto.kernels.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import ristretto.kernels.DeviceException;

class DeviceProvidersTest {
  @Test
  void knowsWhatTheTornadoDeviceNeedsWhereItIsNotBuilt() {
    DeviceProvider tornado =
        DeviceProviders.all().stream()
            .filter(p -> p.kind().equals("tornado"))
            .findFirst()
            .orElseThrow();
    String remedy =
        "TornadoVM is not loaded; install the SDK of TornadoVM 5.2.0-jdk25 (sdk install tornadovm"
            + " 5.2.0-jdk25-opencl, or from tornadovm.org/downloads into the folder"
            + " TORNADOVM_HOME), and start with ./ristretto --tornado";
    assertThat(tornado.devices()).isEmpty();
    assertThat(tornado.remedy()).isEqualTo(remedy);
    assertThatThrownBy(() -> tornado.open(0))
        .isInstanceOf(DeviceException.class)
        .hasMessage("[tornado] no device was found: " + remedy);
  }
}
