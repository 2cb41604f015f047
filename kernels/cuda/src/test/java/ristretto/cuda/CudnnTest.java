package ristretto.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.kernels.scalar.ScalarType.F32;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
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

/** Convolutions by cuDNN; its results are compared with loops in the tests of all devices. */
class CudnnTest {
  @BeforeEach
  void hasLibrary() {
    Assumptions.assumeTrue(TestDevice.hardware() != null, TestDevice.reason());
    Assumptions.assumeTrue(
        Cudnn.find(TestDevice.hardware().driver()).isPresent(), "cuDNN is not installed");
  }

  private static Operand.Memory memory(int buffer, long... dims) {
    long[] strides = new long[dims.length];
    long stride = 1;
    for (int d = dims.length - 1; d >= 0; d--) {
      strides[d] = stride;
      stride *= dims[d];
    }
    return new Operand.Memory(F32, buffer, new Affine(0, Longs.of(strides)));
  }

  /** Convolution of one image with a filter of two elements along each axis. */
  private static Kernel.Convolution convolution(int axes, long extent) {
    long[] image = new long[axes + 2];
    Arrays.fill(image, extent);
    long[] filter = new long[axes + 2];
    Arrays.fill(filter, 2);
    long[] result = new long[axes + 2];
    Arrays.fill(result, extent - 1);
    for (long[] dims : List.of(image, filter, result)) {
      dims[0] = 1;
      dims[1] = 1;
    }
    long[] ones = new long[axes];
    Arrays.fill(ones, 1);
    var windows =
        new Kernel.Convolution.Windows(Longs.of(ones), Longs.of(ones), Longs.of(new long[axes]), 1);
    return new Kernel.Convolution(
        "conv_f32",
        F32,
        Kernel.Convolution.Made.RESULTS,
        windows,
        Longs.of(image),
        Longs.of(filter),
        Longs.of(result),
        memory(0, image),
        memory(1, filter),
        memory(2, result));
  }

  private static Buffer buffer(CudaDevice device, int count, float value) {
    float[] values = new float[count];
    Arrays.fill(values, value);
    Buffer buffer = device.allocate(4L * count);
    device.write(buffer, 0, MemorySegment.ofArray(values));
    return buffer;
  }

  private static float[] read(CudaDevice device, Buffer buffer, int count) {
    float[] values = new float[count];
    device.read(buffer, 0, MemorySegment.ofArray(values));
    return values;
  }

  @Test
  void runsAloneAndInAGraph() {
    try (var device = new CudaDevice(TestDevice.hardware())) {
      Kernel.Convolution kernel = convolution(2, 4);
      assertThat(device.convolves(kernel)).isTrue();
      Launch launch = device.prepare(kernel);
      assertThat(launch.source())
          .matches("/\\* cudnnConvolutionForward with algorithm \\d+ of cuDNN \\*/");
      assertThat(launch.operations()).isEqualTo(2 * 9 * 4);
      Buffer[] buffers = {buffer(device, 16, 3), buffer(device, 4, 1), buffer(device, 9, 0)};
      launch.run(buffers, new long[1]);
      assertThat(read(device, buffers[2], 9)).containsOnly(12);
      device.write(buffers[2], 0, MemorySegment.ofArray(new float[9]));
      Recording graph = device.record(List.of(launch, launch), buffers, new long[1]).orElseThrow();
      graph.run();
      assertThat(read(device, buffers[2], 9)).containsOnly(12);
    }
  }

  @Test
  void upToThreeAxes() {
    try (var device = new CudaDevice(TestDevice.hardware())) {
      assertThat(device.convolves(convolution(1, 5))).isTrue();
      assertThat(device.convolves(convolution(3, 3))).isTrue();
      assertThat(device.convolves(convolution(4, 2))).isFalse();
    }
  }

  @Test
  void ownProductsIfThatIsSaid() {
    System.setProperty("ristretto.cuda.dnn", "own");
    try (var device = new CudaDevice(TestDevice.hardware())) {
      assertThat(device.convolves(convolution(2, 4))).isFalse();
    } finally {
      System.clearProperty("ristretto.cuda.dnn");
    }
  }

  @Test
  void messages() {
    System.setProperty("ristretto.cuda.dnn", "best");
    try {
      assertThatThrownBy(() -> new CudaDevice(TestDevice.hardware()))
          .isInstanceOf(DeviceException.class)
          .hasMessage(
              "[cuda] the convolution library must be auto or own; got \"best\"; correct"
                  + " -Dristretto.cuda.dnn");
    } finally {
      System.clearProperty("ristretto.cuda.dnn");
    }
    assertThat(Convolutions.words(Optional.empty()))
        .isEqualTo(
            "convolutions run as matrix products, several times slower than with cuDNN, because"
                + " neither libcudnn.so.9 nor .8 was found; name its folder in"
                + " RISTRETTO_CUDA_LIBRARIES, or set -Dristretto.cuda.dnn=own");
    assertThatThrownBy(() -> Cudnn.check(8, "cudnnConvolutionForward"))
        .isInstanceOf(DeviceException.class)
        .hasMessage(
            "[convolution] cuDNN must succeed; cudnnConvolutionForward returned 8; install cuDNN of"
                + " the driver's version of CUDA, or compute convolutions as matrix products with"
                + " -Dristretto.cuda.dnn=own");
  }
}
