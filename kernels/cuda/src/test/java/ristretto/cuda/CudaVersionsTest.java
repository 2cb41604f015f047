package ristretto.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import ristretto.kernels.DeviceException;
import ristretto.kernels.driver.BlasChoice;

/** Libraries of CUDA 12 and 13 serve, whichever is there; without them it is said what to do. */
class CudaVersionsTest {
  private static Path twelve;
  private static Path thirteen;

  @BeforeAll
  static void make() throws IOException {
    String reason = StandIn.make();
    Assumptions.assumeTrue(reason == null, reason);
    for (String own :
        List.of("libnvrtc.so.12", "libnvrtc.so.13", "libcublas.so.12", "libcublas.so.13")) {
      Assumptions.assumeTrue(
          Library.load(own, 0).isEmpty(), "the system has a " + own + " of its own");
    }
    twelve = StandIn.folder();
    thirteen = StandIn.cuda13();
  }

  private static String compiler(int driver, Path... folders) {
    return Compiler.find(new Libraries(List.of(folders), driver), 90).orElseThrow().name();
  }

  @Test
  void compilersOfEitherVersionServe() throws Compiler.Refused {
    assertThat(compiler(12, twelve)).isEqualTo("NVRTC 12.0");
    assertThat(compiler(12, thirteen)).isEqualTo("NVRTC 13.0");
    assertThat(compiler(13, twelve)).isEqualTo("NVRTC 12.0");
    assertThat(compiler(12, thirteen, twelve)).isEqualTo("NVRTC 12.0");
    assertThat(compiler(13, twelve, thirteen)).isEqualTo("NVRTC 13.0");
    Compiler newer = Compiler.find(new Libraries(List.of(thirteen), 13), 90).orElseThrow();
    String source = "extern \"C\" __global__ void f(int* x) { x[0] = 1; }\n";
    assertThat(newer.compile("map_one", source)).isNotEmpty();
  }

  @Test
  void cublasOfEitherVersionServes() {
    assertThat(cublas(12, twelve).version).isEqualTo("12.0.0");
    assertThat(cublas(12, thirteen).version).isEqualTo("13.0.0");
    assertThat(cublas(13, twelve, thirteen).version).isEqualTo("13.0.0");
    assertThat(cublas(13, thirteen).lt).isPresent();
  }

  private static Cublas cublas(int driver, Path... folders) {
    return Cublas.search(new Libraries(List.of(folders), driver)).orElseThrow();
  }

  @Test
  void cublasIsAskedForButNotThere() {
    Assumptions.assumeTrue(TestDevice.hardware() != null, TestDevice.reason());
    try (var device = new CudaDevice(TestDevice.hardware())) {
      assertThatThrownBy(() -> new Products(device, BlasChoice.LIBRARY, Optional.empty()))
          .isInstanceOf(DeviceException.class)
          .hasMessage(
              "[cuda:0] -Dristretto.cuda.blas=cublas needs cuBLAS; neither libcublas.so.12 nor .13"
                  + " was found; install it, for example with pip install nvidia-cublas-cu12, or"
                  + " remove -Dristretto.cuda.blas");
    }
  }

  @Test
  void whoComputesProductsIsSaid() {
    assertThat(Products.words(Optional.empty(), BlasChoice.AUTO))
        .isEqualTo(
            "matrix products by built-in kernels, several times slower than cuBLAS, because neither"
                + " libcublas.so.12 nor .13 was found; name its folder in"
                + " RISTRETTO_CUDA_LIBRARIES");
    assertThat(Products.words(Optional.empty(), BlasChoice.OWN))
        .isEqualTo("matrix products by built-in kernels, as -Dristretto.cuda.blas=own says");
    assertThat(Products.words(Optional.of(cublas(12, twelve)), BlasChoice.AUTO))
        .isEqualTo("matrix products by cuBLAS 12.0.0");
  }

  @Test
  void cudnnOfEitherVersionServes() {
    assertThat(cudnn(12, twelve).map(c -> c.version)).contains("9.1.0");
    assertThat(cudnn(13, thirteen).map(c -> c.version)).contains("8.9.7");
    assertThat(cudnn(13, twelve, thirteen).map(c -> c.version)).contains("9.1.0");
    assertThat(Convolutions.words(cudnn(13, twelve))).isEqualTo("convolutions by cuDNN 9.1.0");
    // Made for a later CUDA than the driver's.
    assertThat(cudnn(12, thirteen)).isEmpty();
  }

  private static Optional<Cudnn> cudnn(int driver, Path... folders) {
    return Cudnn.search(new Libraries(List.of(folders), driver), driver);
  }

  @Test
  void unknownChoice() {
    System.setProperty("ristretto.cuda.blas", "mkl");
    try {
      assertThatThrownBy(() -> BlasChoice.fromSystem("cuda", "cublas"))
          .isInstanceOf(DeviceException.class)
          .hasMessage(
              "[cuda] the matrix product library must be auto, cublas or own; got \"mkl\"; correct"
                  + " -Dristretto.cuda.blas");
    } finally {
      System.clearProperty("ristretto.cuda.blas");
    }
  }

  @Test
  void nvrtcFails() {
    assertThatThrownBy(() -> Nvrtc.check(1, "nvrtcCreateProgram"))
        .isInstanceOf(DeviceException.class)
        .hasMessage(
            "[cuda] NVRTC must succeed; nvrtcCreateProgram returned 1; install NVRTC anew, or"
                + " name another one in RISTRETTO_CUDA_LIBRARIES");
  }
}
