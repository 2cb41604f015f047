package ristretto.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import ristretto.kernels.DeviceException;
import ristretto.kernels.device.Device;
import ristretto.kernels.driver.DriverProvider.Found;

/** Libraries that are found, and the messages about missing ones. */
class CudaProviderTest {
  @Test
  void noDriver() {
    assertThat(Driver.search(List.of("libnowhere.so.1")).remedy())
        .isEqualTo(
            "no CUDA driver found (libnowhere.so.1); for an NVIDIA GPU, install its driver (version"
                + " 525 or later), and start containers with --gpus all");
  }

  @Test
  void noGpu() {
    var none = new CudaProvider(() -> new Found<>(List.of(), Missing.gpu()));
    assertThat(none.devices()).isEmpty();
    assertThat(none.remedy())
        .isEqualTo(
            "the CUDA driver finds no GPU; for an NVIDIA GPU, install its driver (version 525 or"
                + " later), and start containers with --gpus all");
    assertThatThrownBy(() -> none.open(0))
        .isInstanceOf(DeviceException.class)
        .hasMessage(
            "[cuda] no device was found: the CUDA driver finds no GPU; for an NVIDIA GPU, install"
                + " its driver (version 525 or later), and start containers with --gpus all");
  }

  @Test
  void anOldDriver() {
    assertThat(Missing.version("11.4"))
        .isEqualTo(
            "the driver is for CUDA 11.4, and CUDA 12.0 is the oldest that works; update it to"
                + " version 525 or later");
  }

  @Test
  void aDriverThatDoesNotWork() {
    assertThat(Missing.answer("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"))
        .isEqualTo(
            "the CUDA driver reports CUDA_ERROR_SYSTEM_DRIVER_MISMATCH; see whether nvidia-smi"
                + " shows the GPU, and update the driver if it does");
  }

  @Test
  void noNatives() {
    assertThat(Missing.jcuda("there is no libJCudaDriver.so among the jars"))
        .isEqualTo(
            "JCuda's library for the CUDA driver does not load (there is no libJCudaDriver.so among"
                + " the jars); put jcuda-natives for this platform beside jcuda on the class path"
                + " or module path, or use a device such as opencl");
  }

  @Test
  void noCompiler() {
    assertThat(Compiler.find(new Libraries(List.of(Path.of("/nowhere")), 12), 1)).isEmpty();
    assertThat(Missing.compiler("H100", "9.0"))
        .isEqualTo(
            "no compiler for H100 (compute capability 9.0) found: neither NVRTC (libnvrtc.so.12 or"
                + " .13) nor nvcc; install one, for example with pip install"
                + " nvidia-cuda-nvrtc-cu12, and name its folder in RISTRETTO_CUDA_LIBRARIES if it"
                + " is not found");
  }

  @Test
  void librariesOfTheDriversVersionComeFirst() {
    assertThat(new Libraries(List.of(), 12).versions()).containsExactly(12, 13);
    assertThat(new Libraries(List.of(), 13).versions()).containsExactly(13, 12);
    assertThat(new Libraries(List.of(), 14).versions()).containsExactly(13, 12);
  }

  @Test
  void aLibraryWithoutAFunctionIsTheWrongOne() {
    Library any = Library.load("libc.so.6", 12).orElse(null);
    Assumptions.assumeTrue(any != null, "libc.so.6 is not there");
    assertThatThrownBy(() -> any.function("cuLaunchKernel"))
        .isInstanceOf(UnsatisfiedLinkError.class)
        .hasMessage(
            "[cuda] libc.so.6 must have the function cuLaunchKernel; it belongs to CUDA 12 or 13,"
                + " and this one does not; correct the path, see docs/flags.md");
  }

  @Test
  void devicesByIndex() {
    Assumptions.assumeTrue(TestDevice.hardware() != null, TestDevice.reason());
    var provider = new CudaProvider();
    int count = provider.devices().size();
    for (int index = 0; index < count; index++) {
      assertThat(provider.devices().get(index)).contains("compute capability ").contains("NVRTC ");
      try (Device device = provider.open(index)) {
        assertThat(device.name()).isEqualTo("cuda:" + index);
      }
    }
    assertThatThrownBy(() -> provider.open(count))
        .isInstanceOf(DeviceException.class)
        .hasMessage("[cuda] the device index must be below " + count + "; got " + count);
  }
}
