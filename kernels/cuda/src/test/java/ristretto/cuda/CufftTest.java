package ristretto.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import ristretto.kernels.DeviceException;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Launch;
import ristretto.kernels.device.Recording;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.ScalarType;

/** Transforms by cuFFT; its results are compared with sums in the tests of all devices. */
class CufftTest {
  private static final int BATCH = 3;
  private static final int N = 12;

  @BeforeEach
  void hasLibrary() {
    Assumptions.assumeTrue(TestDevice.hardware() != null, TestDevice.reason());
    Assumptions.assumeTrue(
        Cufft.find(TestDevice.hardware().driver()).isPresent(), "cuFFT is not installed");
  }

  private static Kernel.Fourier kernel(boolean inverse) {
    Operand.Memory[] parts = new Operand.Memory[2];
    for (int k = 0; k < 2; k++) {
      parts[k] = new Operand.Memory(ScalarType.F64, 0, new Affine(k, Longs.of(2 * N, 2)));
    }
    return new Kernel.Fourier(
        "fourier_f64",
        ScalarType.F64,
        Longs.of(BATCH, N),
        inverse,
        false,
        1,
        parts[0],
        Optional.of(parts[1]),
        parts[0],
        parts[1]);
  }

  @Test
  void runsAloneAndInAGraph() {
    try (var device = new CudaDevice(TestDevice.hardware())) {
      assertThat(device.transforms()).contains(Kernel.Fourier.Layout.PAIRS);
      Launch forth = device.prepare(kernel(false));
      Launch back = device.prepare(kernel(true));
      assertThat(forth.source()).isEqualTo("/* cufftExecZ2Z of cuFFT */");
      double[] values = new double[2 * BATCH * N];
      for (int k = 0; k < values.length; k++) {
        values[k] = Math.sin(k);
      }
      double[] got = new double[values.length];
      Buffer[] buffers = {device.allocate(8L * values.length)};
      device.write(buffers[0], 0, MemorySegment.ofArray(values));
      forth.run(buffers, new long[0]);
      device.read(buffers[0], 0, MemorySegment.ofArray(got));
      double first = 0;
      for (int k = 0; k < N; k++) {
        first += values[2 * k];
      }
      assertThat(got[0]).isCloseTo(first, within(1e-12));
      device.write(buffers[0], 0, MemorySegment.ofArray(values));
      Recording graph = device.record(List.of(forth, back), buffers, new long[0]).orElseThrow();
      graph.run();
      device.read(buffers[0], 0, MemorySegment.ofArray(got));
      for (int k = 0; k < values.length; k++) {
        assertThat(got[k] / N).isCloseTo(values[k], within(1e-12));
      }
    }
  }

  @Test
  void ownKernelsIfThatIsSaid() {
    System.setProperty("ristretto.cuda.fft", "own");
    try (var device = new CudaDevice(TestDevice.hardware())) {
      assertThat(device.transforms()).isEmpty();
    } finally {
      System.clearProperty("ristretto.cuda.fft");
    }
  }

  @Test
  void messages() {
    System.setProperty("ristretto.cuda.fft", "best");
    try {
      assertThatThrownBy(() -> new CudaDevice(TestDevice.hardware()))
          .isInstanceOf(DeviceException.class)
          .hasMessage(
              "[cuda] the library of transforms must be auto or own; got \"best\"; correct"
                  + " -Dristretto.cuda.fft");
    } finally {
      System.clearProperty("ristretto.cuda.fft");
    }
    assertThat(Transforms.words(Optional.empty()))
        .isEqualTo(
            "Fourier transforms by built-in kernels, one per factor of the length, because neither"
                + " libcufft.so.11 nor .12 was found; name its folder in"
                + " RISTRETTO_CUDA_LIBRARIES, or set -Dristretto.cuda.fft=own");
    assertThatThrownBy(() -> Cufft.check(5, "cufftExecC2C"))
        .isInstanceOf(DeviceException.class)
        .hasMessage(
            "[fft] cuFFT must succeed; cufftExecC2C returned 5; install cuFFT of the driver's"
                + " version of CUDA, or compute transforms by built-in kernels with"
                + " -Dristretto.cuda.fft=own");
  }
}
