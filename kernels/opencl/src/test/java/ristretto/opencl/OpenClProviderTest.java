package ristretto.opencl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import ristretto.kernels.DeviceException;
import ristretto.kernels.driver.DriverProvider.Found;

class OpenClProviderTest {
  private static final OpenClProvider NONE =
      new OpenClProvider(() -> new Found<>(List.of(), "the OpenCL loader knows no driver"));

  @Test
  void saysWhatToInstall() {
    assertThat(NONE.devices()).isEmpty();
    assertThat(NONE.remedy())
        .isEqualTo(
            "the OpenCL loader knows no driver; install the OpenCL driver of your GPU, or PoCL for"
                + " the processor (on Debian and Ubuntu: apt-get install ocl-icd-libopencl1"
                + " pocl-opencl-icd)");
    assertThatThrownBy(() -> NONE.open(0))
        .isInstanceOf(DeviceException.class)
        .hasMessageStartingWith("[opencl] no device was found: the OpenCL loader knows no driver;");
  }
}
