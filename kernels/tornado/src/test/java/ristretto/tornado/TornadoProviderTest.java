package ristretto.tornado;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import ristretto.kernels.DeviceException;
import ristretto.kernels.driver.DriverProvider.Found;

class TornadoProviderTest {
  private static final String ADVICE =
      "; install the SDK of TornadoVM 5.2.0-jdk25 (sdk install tornadovm 5.2.0-jdk25-opencl, or"
          + " from tornadovm.org/downloads into the folder TORNADOVM_HOME), and start with"
          + " ./ristretto --tornado";

  @Test
  void noDevice() {
    var provider = new TornadoProvider(() -> new Found<>(List.of(), "TornadoVM finds no device"));
    assertThat(provider.devices()).isEmpty();
    assertThat(provider.remedy()).isEqualTo("TornadoVM finds no device" + ADVICE);
    assertThatThrownBy(() -> provider.open(0))
        .isInstanceOf(DeviceException.class)
        .hasMessage("[tornado] no device was found: TornadoVM finds no device" + ADVICE);
  }

  @Test
  void anotherVersion() {
    assertThat(new TornadoProvider(() -> Sdk.find("4.0.1-jdk21")).remedy())
        .isEqualTo("TornadoVM 4.0.1-jdk21 is loaded, an unsupported version" + ADVICE);
  }

  @Test
  void noSuchDevice() {
    Found<Accelerator> found = Sdk.find();
    Assumptions.assumeFalse(found.devices().isEmpty(), found.reason());
    var provider = new TornadoProvider(() -> new Found<>(found.devices().subList(0, 1), ""));
    assertThat(provider.devices()).containsExactly(found.devices().getFirst().description());
    assertThat(provider.remedy()).isEmpty();
    assertThatThrownBy(() -> provider.open(9))
        .isInstanceOf(DeviceException.class)
        .hasMessage("[tornado] the device index must be below 1; got 9");
  }
}
