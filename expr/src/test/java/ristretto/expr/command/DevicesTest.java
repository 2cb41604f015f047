package ristretto.expr.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.DeviceProvider;

class DevicesTest {
  private record Provider(String kind, List<String> devices, String remedy)
      implements DeviceProvider {
    @Override
    public Device open(int index) {
      throw new UnsupportedOperationException();
    }
  }

  @Test
  void listsDevicesAndRemedies() {
    assertThat(
            Devices.report(
                List.of(
                    new Provider("cpu", List.of("2 threads"), ""),
                    new Provider("opencl", List.of("first", "second"), ""),
                    new Provider("cuda", List.of(), "no driver found; install one"))))
        .isEqualToNormalizingNewlines(
            """
            cpu:0       2 threads
            opencl:0    first
            opencl:1    second
            cuda        not available: no driver found; install one
            """);
  }

  @Test
  void saysWhatToAddWhenThereIsNoProvider() {
    assertThat(Devices.report(List.of()))
        .isEqualTo(
            "No devices: no module with a device is on the module path; add ristretto.kernels.\n");
  }
}
