package ristretto.kernels.cpu;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.kernels.device.MemoryLimit;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.ScalarType;

class ProductBlocksTest {
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
      Optional<ProductBlocks> found = ProductBlocks.of(m, n, k, false, transB);
      if (found.isEmpty()) {
        continue;
      }
      ProductBlocks b = found.get();
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
    assertThat(ProductBlocks.of(20, 800, 200, false, false))
        .contains(new ProductBlocks(20, 112, 200, false));
    assertThat(ProductBlocks.of(20, 200, 800, false, true))
        .contains(new ProductBlocks(20, 48, 800, false));
    assertThat(ProductBlocks.of(784, 128, 64, true, false))
        .contains(new ProductBlocks(112, 64, 64, false));
    assertThat(ProductBlocks.of(64, 64, 64, false, false))
        .contains(new ProductBlocks(64, 64, 64, false));
    assertThat(ProductBlocks.of(1, 800, 200, false, false)).isEmpty();
    assertThat(ProductBlocks.of(4096, 4096, 4096, false, false)).isEmpty();
    assertThat(ProductBlocks.of(400, 200, 800, false, true)).isEmpty();
  }

  @Test
  void gradientsOfWeightsAreReadInSlices() {
    assertThat(ProductBlocks.of(256, 1024, 2048, true, false))
        .contains(new ProductBlocks(48, 64, 128, true));
    assertThat(ProductBlocks.of(800, 200, 400, true, false).map(ProductBlocks::sliced))
        .as("in a cache")
        .contains(false);
    assertThat(ProductBlocks.of(200, 2058, 400, true, false)).as("shallow").isEmpty();
    assertThat(ProductBlocks.of(1024, 1024, 2048, true, false)).as("large").isEmpty();
    assertThat(ProductBlocks.of(256, 1024, 2048, false, false)).isEmpty();
    assertThat(ProductBlocks.of(256, 1024, 2048, true, true)).isEmpty();
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
