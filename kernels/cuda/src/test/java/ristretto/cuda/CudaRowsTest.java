package ristretto.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static ristretto.kernels.scalar.ScalarType.F32;
import static ristretto.kernels.scalar.ScalarType.F64;
import static ristretto.kernels.scalar.ScalarType.I64;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.TapeBuilder;

/** Rows of all lengths and layouts, of which each takes another way through a GPU. */
class CudaRowsTest {
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

  /** A softmax, its largest element's place, and its denominator. */
  @ParameterizedTest
  @CsvSource({
    "5, 1",
    "3, 3",
    "700, 4",
    "300, 16",
    "7, 17",
    "300, 64",
    "40, 128",
    "9, 512",
    "3, 1000",
    "2, 1024",
    "900, 1024",
    "2, 4096",
    "2, 4099",
    "1, 8192",
    "1, 9000",
    "3, 16384",
    "1, 40000",
    "2, 65536",
    "1, 70001",
    "4, 0"
  })
  void rowsInMemoryOrder(int rows, int length) {
    check(rows, length, new Affine(0, Longs.of(length, 1)));
  }

  @ParameterizedTest
  @CsvSource({"3, 16", "2, 1000", "2, 4096", "1, 40000"})
  void rowsThatStartAnywhere(int rows, int length) {
    check(rows, length, new Affine(1, Longs.of(length + 3, 1)));
  }

  @ParameterizedTest
  @CsvSource({"8, 3", "37, 50", "1000, 20", "10, 5000", "64, 64", "33, 1", "300, 700"})
  void columns(int columns, int length) {
    check(columns, length, new Affine(0, Longs.of(1, columns)));
  }

  @ParameterizedTest
  @CsvSource({"5, 12", "3, 1000"})
  void backwards(int rows, int length) {
    check(rows, length, new Affine((long) rows * length - 1, Longs.of(-length, -1)));
  }

  private static void check(int rows, int length, Affine map) {
    var t = new TapeBuilder();
    int x = t.input(0, F32);
    int max = t.input(1, F32);
    int e = t.apply(Op.EXP, t.apply(Op.SUB, x, max));
    int sum = t.input(2, F32);
    int place = t.input(3, I64);
    var kernel =
        new Kernel.Row(
            "row_softmax",
            Longs.of(rows, length),
            1,
            t.build(x, e, t.apply(Op.DIV, e, sum), t.convert(sum, F64), place),
            List.of(new Operand.Memory(F32, 0, map)),
            List.of(
                new Reduction(Reduction.Kind.MAX, F32, 0),
                new Reduction(Reduction.Kind.SUM, F32, 1),
                new Reduction(Reduction.Kind.ARGMAX, F32, 0)),
            List.of(
                new Kernel.Store(2, new Operand.Memory(F32, 1, map), false),
                new Kernel.Store(
                    3, new Operand.Memory(F64, 2, new Affine(0, Longs.of(1, 0))), true),
                new Kernel.Store(
                    4, new Operand.Memory(I64, 3, new Affine(0, Longs.of(1, 0))), true)));
    long size = 1;
    for (int r = 0; r < rows; r++) {
      for (int j : new int[] {0, Math.max(0, length - 1)}) {
        size = Math.max(size, at(map, r, j) + 1);
      }
    }
    float[] values = new float[(int) size];
    var random = new Random(length);
    for (int k = 0; k < values.length; k++) {
      values[k] = (float) random.nextGaussian();
    }
    float[] result = new float[values.length];
    double[] sums = new double[rows];
    long[] places = new long[rows];
    try (Buffer a = device.allocate(4L * size);
        Buffer b = device.allocate(4L * size);
        Buffer c = device.allocate(8L * rows);
        Buffer d = device.allocate(8L * rows)) {
      device.write(a, 0, MemorySegment.ofArray(values));
      device.prepare(kernel).run(new Buffer[] {a, b, c, d}, new long[0]);
      device.read(b, 0, MemorySegment.ofArray(result));
      device.read(c, 0, MemorySegment.ofArray(sums));
      device.read(d, 0, MemorySegment.ofArray(places));
    }
    for (int r = 0; r < rows; r++) {
      int best = -1;
      for (int j = 0; j < length; j++) {
        best = best < 0 || values[at(map, r, j)] > values[at(map, r, best)] ? j : best;
      }
      double expected = 0;
      for (int j = 0; j < length; j++) {
        expected += Math.exp((double) values[at(map, r, j)] - values[at(map, r, best)]);
      }
      assertThat(places[r]).as("row %d", r).isEqualTo(best);
      assertThat(sums[r]).as("row %d", r).isCloseTo(expected, within(1e-6 * expected));
      for (int j = 0; j < length; j++) {
        double y = Math.exp((double) values[at(map, r, j)] - values[at(map, r, best)]) / expected;
        assertThat((double) result[at(map, r, j)])
            .as("row %d, element %d", r, j)
            .isCloseTo(y, within(1e-6 * y));
      }
    }
  }

  private static int at(Affine map, long row, long j) {
    return (int) (map.offset() + map.strides().get(0) * row + map.strides().get(1) * j);
  }
}
