package ristretto.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jcuda.driver.CUresult;
import org.junit.jupiter.api.Test;
import ristretto.kernels.DeviceException;

/** Messages to users about failures outside of this library. */
class FailureTest {
  private static String said(int status) {
    return Failure.of(status, "map_add", "H100").getMessage();
  }

  @Test
  void theGpuHasNoMemory() {
    assertThat(said(CUresult.CUDA_ERROR_OUT_OF_MEMORY))
        .isEqualTo(
            "[map_add] memory must suffice; H100 reports CUDA_ERROR_OUT_OF_MEMORY: other programs"
                + " may use it (nvidia-smi lists them); release tensors that are no longer needed,"
                + " or set -Dristretto.cuda.memory-limit to the free memory");
  }

  @Test
  void theGpuIsLost() {
    assertThat(said(CUresult.CUDA_ERROR_ILLEGAL_ADDRESS))
        .isEqualTo(
            "[map_add] the device must stay available; H100 reports CUDA_ERROR_ILLEGAL_ADDRESS:"
                + " this process has lost it and its memory; start the program again, and look into"
                + " the system's log (dmesg) if it happens again");
  }

  @Test
  void theCompilerIsTooNew() {
    assertThat(said(CUresult.CUDA_ERROR_INVALID_IMAGE))
        .isEqualTo(
            "[map_add] the driver must accept the compiled code; H100 reports"
                + " CUDA_ERROR_INVALID_IMAGE: the compiler is newer than the driver; update the"
                + " driver, or name an older CUDA with RISTRETTO_CUDA_LIBRARIES");
  }

  @Test
  void theDriverDoesNotSayWhatIsWrong() {
    assertThat(said(CUresult.CUDA_ERROR_UNKNOWN))
        .isEqualTo(
            "[map_add] the driver must succeed; H100 reports CUDA_ERROR_UNKNOWN; see whether"
                + " nvidia-smi shows the GPU, and update the driver if it does");
  }

  @Test
  void cublasFails() {
    assertThatThrownBy(() -> Cublas.check(3, "cublasCreate"))
        .isInstanceOf(DeviceException.class)
        .hasMessage(
            "[dot] cuBLAS must succeed; cublasCreate returned 3; install cuBLAS of the driver's"
                + " version of CUDA, or compute products with -Dristretto.cuda.blas=own");
  }
}
