package ristretto.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import ristretto.kernels.DeviceException;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Solvers;
import ristretto.kernels.device.Solvers.Batch;
import ristretto.kernels.device.Solvers.Numbers;

/** Factorizations by cuSOLVER; all of them are tested with expressions on this device. */
class CusolverTest {
  @BeforeEach
  void hasLibrary() {
    Assumptions.assumeTrue(TestDevice.hardware() != null, TestDevice.reason());
    Assumptions.assumeTrue(
        Cusolver.find(TestDevice.hardware().driver()).isPresent(), "cuSOLVER is not installed");
  }

  private static CudaDevice with(String choice) {
    System.setProperty("ristretto.cuda.solver", choice);
    try {
      return new CudaDevice(TestDevice.hardware());
    } finally {
      System.clearProperty("ristretto.cuda.solver");
    }
  }

  @Test
  void eachMatrixOfABatchHasItsStatus() {
    try (var device = new CudaDevice(TestDevice.hardware())) {
      Solvers solvers = device.solvers().orElseThrow();
      // Column-major upper triangles, behind a number that belongs to nothing.
      double[] values = {7, 4, 0, 2, 5, 1, 0, 2, 1, 9, 0, 3, 9};
      Buffer buffer = device.allocate(8L * values.length);
      device.write(buffer, 0, MemorySegment.ofArray(values));
      int[] info = solvers.cholesky(new Batch(true, 3), 2, new Numbers(buffer, 8));
      assertThat(info).containsExactly(0, 2, 0);
      double[] got = new double[values.length];
      device.read(buffer, 0, MemorySegment.ofArray(got));
      assertThat(got[0]).isEqualTo(7);
      assertThat(got[1]).isEqualTo(2);
      assertThat(got[3]).isEqualTo(1);
      assertThat(got[4]).isEqualTo(2);
      assertThat(got[9]).isEqualTo(3);
      assertThat(got[11]).isEqualTo(1);
      assertThat(got[12]).isCloseTo(Math.sqrt(8), within(1e-15));
    }
  }

  @Test
  void theLibraryTakesLargeMatrices() {
    try (var device = new CudaDevice(TestDevice.hardware())) {
      Solvers solvers = device.solvers().orElseThrow();
      assertThat(solvers.pays(64)).isTrue();
      assertThat(solvers.pays(63)).isFalse();
    }
    try (var device = with("cusolver")) {
      assertThat(device.solvers().orElseThrow().pays(1)).isTrue();
    }
    try (var device = with("host")) {
      assertThat(device.solvers()).isEmpty();
    }
  }

  @Test
  void messages() {
    assertThatThrownBy(() -> with("magma"))
        .isInstanceOf(DeviceException.class)
        .hasMessage(
            "[cuda] the library of factorizations must be auto, cusolver or host; got \"magma\";"
                + " correct -Dristretto.cuda.solver");
    assertThat(Factorizations.words(Optional.empty()))
        .isEqualTo(
            "matrices are factorized on the host, with copies, because neither libcusolver.so.11"
                + " nor .12 was found; name its folder in RISTRETTO_CUDA_LIBRARIES, or set"
                + " -Dristretto.cuda.solver=host");
    assertThatThrownBy(() -> Cusolver.check(7, "cusolverDnDpotrf"))
        .isInstanceOf(DeviceException.class)
        .hasMessage(
            "[linalg] cuSOLVER must succeed; cusolverDnDpotrf returned 7; install cuSOLVER of the"
                + " driver's version of CUDA, or factorize matrices on the host with"
                + " -Dristretto.cuda.solver=host");
  }
}
