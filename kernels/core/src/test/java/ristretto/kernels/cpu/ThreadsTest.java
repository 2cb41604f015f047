package ristretto.kernels.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import ristretto.kernels.cpu.blas.OpenBlasLibrary;
import ristretto.kernels.cpu.gemm.GemmPanels;
import ristretto.kernels.device.MemoryLimit;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.ScalarType;

/** Products have the same bits for any number of threads. */
class ThreadsTest {
  private static final int[] THREADS = {1, 2, 3, 7};

  @ParameterizedTest
  @EnumSource(names = {"F32", "F64"})
  void randomProducts(ScalarType type) {
    var random = new Random(11);
    for (int trial = 0; trial < 400; trial++) {
      long m = extent(random);
      long n = extent(random);
      long k = extent(random);
      check(random, type, random.nextInt(8) == 0 ? 1 + random.nextInt(5) : 1, m, n, k);
    }
  }

  /** Random length of a dimension: 1, few, or hundreds. */
  private static long extent(Random random) {
    return switch (random.nextInt(8)) {
      case 0 -> 1 + random.nextInt(3);
      case 1, 2 -> 1 + random.nextInt(64);
      default -> 1 + random.nextInt(400);
    };
  }

  @ParameterizedTest
  @CsvSource({"316, 316, 316", "34, 145, 114", "7000, 40, 60", "40, 3000, 300", "1, 3000, 700"})
  void knownProducts(long m, long n, long k) {
    check(new Random(3), ScalarType.F32, 1, m, n, k);
    check(new Random(4), ScalarType.F64, 1, m, n, k);
  }

  @Test
  void panelsThatFollowFromThreadsStartAtMultiplesOfTheGroupsOfRows() {
    OpenBlasLibrary.load();
    for (int threads = 1; threads < 40; threads++) {
      var panels = GemmPanels.of(1000, 900, 800, false, false, 1, threads);
      assertThat(panels.count()).isEqualTo(threads);
      for (long panel = 0; panel < panels.count(); panel++) {
        assertThat(panels.edge(panel) % 24).isZero();
        assertThat(panels.edge(panel + 1)).isGreaterThan(panels.edge(panel));
      }
      assertThat(panels.edge(panels.count())).isEqualTo(1000);
    }
    assertThat(GemmPanels.of(300, 900, 800, false, false, 1, 1))
        .as("columns by size")
        .isEqualTo(GemmPanels.of(300, 900, 800, false, false, 1, 8));
  }

  private static void check(Random random, ScalarType type, int batch, long m, long n, long k) {
    boolean transA = random.nextBoolean();
    boolean transB = random.nextBoolean();
    boolean sameA = random.nextBoolean();
    // Rows that overlap are copied, because OpenBLAS does not accept them.
    boolean overlaps = random.nextInt(6) == 0;
    long gap = random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 1;
    var pair = new KernelPair(random);
    int a = pair.fractions(type, batch * m * k * gap);
    int b = pair.fractions(type, batch * k * n);
    int c = pair.fractions(type, batch * m * n);
    var kernel =
        new Kernel.Gemm(
            "gemm",
            type,
            Longs.of(batch),
            m,
            n,
            k,
            memory(
                type,
                a,
                sameA ? 0 : m * k * gap,
                transA || overlaps ? 1 : k * gap,
                transA && !overlaps ? m * gap : 1),
            memory(type, b, k * n, transB ? 1 : n, transB ? k : 1),
            memory(type, c, m * n, n, 1),
            1.25,
            random.nextInt(3) == 0 ? 0.5 : 0);
    byte[] first = null;
    for (int threads : THREADS) {
      try (var device = new CpuDevice(new CpuSettings(threads, MemoryLimit.none("cpu")))) {
        byte[] result = pair.run(device, kernel)[c];
        assertThat(first == null || Arrays.equals(result, first))
            .as("%d threads: %s", threads, kernel)
            .isTrue();
        first = result;
      }
    }
  }

  private static Operand.Memory memory(ScalarType type, int argument, long... strides) {
    return new Operand.Memory(type, argument, new Affine(0, Longs.of(strides)));
  }
}
