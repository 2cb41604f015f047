package ristretto.kernels.cpu;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.kernels.cpu.blas.OpenBlas;
import ristretto.kernels.cpu.blas.OpenBlasLibrary;
import ristretto.kernels.cpu.gemm.GemmBlocks;
import ristretto.kernels.device.MemoryLimit;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.ScalarType;

class GemmBlocksTest {
  @BeforeAll
  static void library() {
    OpenBlasLibrary.load();
    assumeTrue(OpenBlas.readsInPlace(), "OpenBLAS has no kernels for small products here");
  }

  @Test
  void partsAreSmallAndThereAreEnough() {
    var random = new Random(1);
    for (int trial = 0; trial < 5000; trial++) {
      long m = 1 + random.nextInt(trial % 2 == 0 ? 40 : 2000);
      long n = 1 + random.nextInt(trial % 3 == 0 ? 40 : 2000);
      long k = 1 + random.nextInt(trial % 5 == 0 ? 40 : 5000);
      boolean transB = random.nextBoolean();
      Optional<GemmBlocks> found = GemmBlocks.of(m, n, k, false, transB);
      if (found.isEmpty()) {
        continue;
      }
      GemmBlocks b = found.get();
      assertThat(b.rows() * b.cols() * b.depth())
          .as("%d x %d x %d in %s", m, n, k, b)
          .isPositive()
          .isLessThanOrEqualTo(1_000_000);
      assertThat(b.rows()).isLessThanOrEqualTo(m);
      assertThat(b.cols()).isLessThanOrEqualTo(n);
      assertThat(b.depth()).isLessThanOrEqualTo(k);
      if (transB) {
        assertThat(b.rows() * b.cols()).isLessThanOrEqualTo(1200);
      }
    }
  }

  @Test
  void knownSizes() {
    assertThat(GemmBlocks.of(20, 800, 200, false, false))
        .contains(new GemmBlocks(20, 112, 200, false));
    assertThat(GemmBlocks.of(20, 200, 800, false, true))
        .contains(new GemmBlocks(20, 48, 800, false));
    assertThat(GemmBlocks.of(784, 128, 64, true, false))
        .contains(new GemmBlocks(112, 64, 64, false));
    assertThat(GemmBlocks.of(64, 64, 64, false, false)).contains(new GemmBlocks(64, 64, 64, false));
    assertThat(GemmBlocks.of(1, 800, 200, false, false)).isEmpty();
    assertThat(GemmBlocks.of(4096, 4096, 4096, false, false)).isEmpty();
    assertThat(GemmBlocks.of(400, 200, 800, false, true)).isEmpty();
  }

  @Test
  void narrowRightOperandsAreReadInPlace() {
    assertThat(GemmBlocks.of(1064, 160, 1536, false, false))
        .contains(new GemmBlocks(40, 160, 154, false));
    assertThat(GemmBlocks.of(1064, 64, 160, false, false))
        .contains(new GemmBlocks(97, 64, 160, false));
    assertThat(GemmBlocks.of(1064, 160, 3072, false, false)).as("not in a cache").isEmpty();
    assertThat(GemmBlocks.of(1064, 256, 1536, false, false)).as("not narrow").isEmpty();
  }

  @Test
  void panelsDivideColumnsWhereTheyCan() {
    int[] columns = {160, 1536, 3392, 96, 650, 100};
    assertThat(Arrays.stream(columns).map(GemmBlocks::panelColumns))
        .containsExactly(160, 64, 64, 96, 32, 32);
  }

  /** Parts of some rows come for all of the batch before the next rows. */
  @Test
  void aBatchWithOneLeftOperandIsThatOfEachByItself() {
    int m = 700;
    int n = 64;
    int k = 900;
    int batch = 3;
    for (int threads = 1; threads <= 2; threads++) {
      var pair = new KernelPair(new Random(7));
      int a = pair.argument(ScalarType.F32, m * k);
      int b = pair.argument(ScalarType.F32, batch * k * n);
      int c = pair.argument(ScalarType.F32, m * batch * n);
      var kernel =
          new Kernel.Gemm(
              "gemm",
              ScalarType.F32,
              Longs.of(batch),
              m,
              n,
              k,
              memory(a, 0, k, 1),
              memory(b, (long) k * n, n, 1),
              memory(c, n, (long) batch * n, 1),
              1,
              0.5);
      try (var device = new CpuDevice(new CpuSettings(threads, MemoryLimit.none("cpu")))) {
        MemorySegment result = MemorySegment.ofArray(pair.run(device, kernel)[c]);
        for (int row = 0; row < m; row += 37) {
          for (int col = 0; col < batch * n; col += 11) {
            double sum = at(pair.content(c), row * batch * n + col) / 2;
            for (int l = 0; l < k; l++) {
              float right = at(pair.content(b), (col / n * k + l) * n + col % n);
              sum += at(pair.content(a), row * k + l) * right;
            }
            assertThat(at(result, row * batch * n + col)).isEqualTo((float) sum);
          }
        }
      }
    }
  }

  private static Operand.Memory memory(int argument, long... strides) {
    return new Operand.Memory(ScalarType.F32, argument, new Affine(0, Longs.of(strides)));
  }

  @Test
  void gradientsOfWeightsAreReadInSlices() {
    assertThat(GemmBlocks.of(256, 1024, 2048, true, false))
        .contains(new GemmBlocks(48, 64, 128, true));
    assertThat(GemmBlocks.of(800, 200, 400, true, false).map(GemmBlocks::sliced))
        .as("in a cache")
        .contains(false);
    assertThat(GemmBlocks.of(200, 2058, 400, true, false)).as("shallow").isEmpty();
    assertThat(GemmBlocks.of(1024, 1024, 2048, true, false)).as("large").isEmpty();
    assertThat(GemmBlocks.of(256, 1024, 2048, false, false)).isEmpty();
    assertThat(GemmBlocks.of(256, 1024, 2048, true, true)).isEmpty();
  }

  /** In parts; in slices; whole. */
  @ParameterizedTest
  @CsvSource({"20, 500, 300, false", "200, 900, 1500, true", "200, 900, 1500, false"})
  void asManyThreadsAsOneLikesYieldTheSameBits(int m, int n, int k, boolean transA) {
    byte[] first = null;
    for (int threads = 1; threads <= 3; threads++) {
      var pair = new KernelPair(new Random(7));
      int a = pair.argument(ScalarType.F32, m * k);
      int b = pair.argument(ScalarType.F32, k * n);
      int c = pair.argument(ScalarType.F32, m * n);
      var kernel =
          new Kernel.Gemm(
              "gemm",
              ScalarType.F32,
              Longs.of(),
              m,
              n,
              k,
              transA ? transposed(a, m) : matrix(a, k),
              matrix(b, n),
              matrix(c, n),
              1,
              0.5);
      try (var device = new CpuDevice(new CpuSettings(threads, MemoryLimit.none("cpu")))) {
        byte[] result = pair.run(device, kernel)[c];
        assertThat(result).isEqualTo(first == null ? result : first);
        first = result;
      }
      for (int place : new int[] {0, n - 1, m / 2 * n + n / 3, m * n - 1}) {
        // Of so few bits that each sum is exact.
        double sum = at(pair.content(c), place) / 2;
        for (int l = 0; l < k; l++) {
          int row = place / n;
          float left = at(pair.content(a), transA ? l * m + row : row * k + l);
          sum += left * at(pair.content(b), l * n + place % n);
        }
        assertThat(at(MemorySegment.ofArray(first), place)).isEqualTo((float) sum);
      }
    }
  }

  private static float at(MemorySegment memory, long index) {
    return memory.get(JAVA_FLOAT_UNALIGNED, 4 * index);
  }

  private static Operand.Memory transposed(int argument, long rows) {
    return new Operand.Memory(ScalarType.F32, argument, new Affine(0, Longs.of(1, rows)));
  }

  private static Operand.Memory matrix(int argument, long cols) {
    return new Operand.Memory(ScalarType.F32, argument, new Affine(0, Longs.of(cols, 1)));
  }
}
