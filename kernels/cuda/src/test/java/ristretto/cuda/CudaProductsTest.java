package ristretto.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.kernels.scalar.ScalarType.F32;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.source.KernelSource;
import ristretto.kernels.source.Reach;
import ristretto.kernels.source.Routine;

/** Products by kernels of our own and by the library, with what surrounds them. */
class CudaProductsTest {
  private CudaDevice device;

  @BeforeEach
  void open() {
    Assumptions.assumeTrue(TestDevice.hardware() != null, TestDevice.reason());
    device = new CudaDevice(TestDevice.hardware());
  }

  @AfterEach
  void close() {
    if (device != null) {
      device.close();
    }
  }

  /** A launch has few groups in its second and third dimension. */
  @Test
  void thereMayBeManyTiles() {
    for (Kernel.Gemm kernel :
        List.of(gemm(1, 5_000_000, 1, 3), gemm(1, 3, 5_000_000, 1), gemm(1_000_000, 1, 2, 3))) {
      Routine routine = KernelSource.render(kernel, device.target, Reach.of(kernel));
      for (Routine.Step step : routine.steps()) {
        assertThat(step.groups().subList(1, 3)).isEqualTo(List.of(1L, 1L));
        assertThat(step.groups().getFirst()).isBetween(300_000L, (long) Integer.MAX_VALUE);
      }
    }
  }

  @Test
  void ownKernels() {
    try (var own = own()) {
      check(own, 1, 16 * 100 + 3, 1, 2);
      check(own, 3, 200, 130, 40);
      check(own, 70, 3, 20, 1);
    }
  }

  private static CudaDevice own() {
    String property = "ristretto.cuda.blas";
    System.setProperty(property, "own");
    try {
      return new CudaDevice(TestDevice.hardware());
    } finally {
      System.clearProperty(property);
    }
  }

  private static void check(CudaDevice device, int batch, int m, int n, int k) {
    float[] left = numbers(batch * m * k, 7);
    float[] right = numbers(batch * k * n, 5);
    float[] result = new float[batch * m * n];
    try (Buffer a = device.allocate(4L * left.length);
        Buffer b = device.allocate(4L * right.length);
        Buffer c = device.allocate(4L * result.length)) {
      device.write(a, 0, MemorySegment.ofArray(left));
      device.write(b, 0, MemorySegment.ofArray(right));
      device.prepare(gemm(batch, m, n, k)).run(new Buffer[] {a, b, c}, new long[0]);
      device.read(c, 0, MemorySegment.ofArray(result));
    }
    for (int e = 0; e < result.length; e++) {
      int matrix = e / n / m;
      float sum = 0;
      for (int d = 0; d < k; d++) {
        sum += left[e / n * k + d] * right[(matrix * k + d) * n + e % n];
      }
      if (result[e] != sum) {
        assertThat(result[e]).as("element %d", e).isEqualTo(sum);
      }
    }
  }

  private static Kernel.Gemm gemm(long batch, long m, long n, long k) {
    return new Kernel.Gemm(
        "gemm_f32",
        F32,
        Longs.of(batch),
        m,
        n,
        k,
        matrix(0, m, k),
        matrix(1, k, n),
        matrix(2, m, n),
        1,
        0);
  }

  /** Small whole ones, whose sums are exact. */
  private static float[] numbers(int count, int period) {
    float[] all = new float[count];
    for (int k = 0; k < count; k++) {
      all[k] = k % period - 2;
    }
    return all;
  }

  private static Operand.Memory matrix(int buffer, long rows, long columns) {
    return new Operand.Memory(F32, buffer, new Affine(0, Longs.of(rows * columns, columns, 1)));
  }
}
