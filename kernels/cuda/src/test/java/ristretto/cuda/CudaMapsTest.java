package ristretto.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static ristretto.kernels.scalar.ScalarType.BF16;
import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.F64;
import static ristretto.kernels.scalar.ScalarType.I8;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/** Element-wise kernels in vectors, without, and over more points than there are work items. */
class CudaMapsTest {
  private static CudaDevice device;

  @BeforeAll
  static void open() {
    Hardware hardware = TestDevice.hardware();
    Assumptions.assumeTrue(hardware != null, TestDevice.reason());
    device = new CudaDevice(hardware);
  }

  @AfterAll
  static void close() {
    if (device != null) {
      device.close();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 4, 1000, 1003, 4096, 70_000, 70_001, 3_000_000, 3_000_001})
  void everyElementOnce(int n) {
    for (long offset : new long[] {0, 1}) {
      float[] x = new float[n + 1];
      for (int k = 0; k <= n; k++) {
        x[k] = k % 1001;
      }
      float[] y =
          run(
              new Affine(offset, Longs.of(1)),
              new Affine(0, Longs.of(1)),
              Longs.of(n),
              x,
              new float[n]);
      for (int k = 0; k < n; k++) {
        assertThat(y[k]).isEqualTo(1 + x[(int) (k + offset)]);
      }
    }
  }

  /** More rows than groups can be in a launch's second dimension. */
  @Test
  void manyShortRows() {
    int rows = 600_000;
    float[] x = new float[3 * rows];
    x[x.length - 1] = 5;
    float[] y =
        run(
            new Affine(0, Longs.of(1, rows)),
            new Affine(0, Longs.of(3, 1)),
            Longs.of(rows, 3),
            x,
            new float[3 * rows]);
    assertThat(y[0]).isEqualTo(1);
    assertThat(y[y.length - 1]).isEqualTo(6);
    assertThat(y[y.length - 2]).isEqualTo(1);
  }

  @Test
  void transposed() {
    int n = 130;
    float[] x = new float[n * n];
    for (int k = 0; k < x.length; k++) {
      x[k] = k;
    }
    float[] y =
        run(
            new Affine(0, Longs.of(1, n)),
            new Affine(0, Longs.of(n, 1)),
            Longs.of(n, n),
            x,
            new float[n * n]);
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        assertThat(y[i * n + j]).isEqualTo(1 + x[j * n + i]);
      }
    }
  }

  private static float[] run(Affine from, Affine to, Longs extents, float[] x, float[] y) {
    var t = new TapeBuilder();
    int sum = t.apply(Op.ADD, t.input(0, F32), t.constant(F32, 1));
    var kernel =
        new Kernel.Map(
            "map_add",
            extents,
            t.build(sum),
            List.of(new Operand.Memory(F32, 0, from)),
            List.of(new Operand.Memory(F32, 1, to)));
    try (Buffer a = device.allocate(4L * x.length);
        Buffer b = device.allocate(4L * y.length)) {
      device.write(a, 0, MemorySegment.ofArray(x));
      device.prepare(kernel).run(new Buffer[] {a, b}, new long[0]);
      device.read(b, 0, MemorySegment.ofArray(y));
    }
    return y;
  }

  /** Elements of several sizes in one kernel. */
  @Test
  void mixedTypes() {
    int n = 5000;
    byte[] a = new byte[n];
    short[] b = new short[n];
    double[] result = new double[n];
    for (int k = 0; k < n; k++) {
      a[k] = (byte) k;
      b[k] = (short) (Float.floatToRawIntBits(k % 7) >>> 16);
    }
    var t = new TapeBuilder();
    int x = t.convert(t.input(0, I8.compute()), F64);
    int y = t.convert(t.input(1, F32), F64);
    var kernel =
        new Kernel.Map(
            "map_mixed",
            Longs.of(n),
            t.build(t.apply(Op.ADD, x, y)),
            List.of(vector(I8, 0), vector(BF16, 1)),
            List.of(vector(F64, 2)));
    try (Buffer p = device.allocate(n);
        Buffer q = device.allocate(2L * n);
        Buffer r = device.allocate(8L * n)) {
      device.write(p, 0, MemorySegment.ofArray(a));
      device.write(q, 0, MemorySegment.ofArray(b));
      device.prepare(kernel).run(new Buffer[] {p, q, r}, new long[0]);
      device.read(r, 0, MemorySegment.ofArray(result));
    }
    for (int k = 0; k < n; k++) {
      assertThat(result[k]).isEqualTo((byte) k + k % 7);
    }
  }

  private static Operand.Memory vector(ScalarType storage, int buffer) {
    return new Operand.Memory(storage, buffer, new Affine(0, Longs.of(1)));
  }
}
