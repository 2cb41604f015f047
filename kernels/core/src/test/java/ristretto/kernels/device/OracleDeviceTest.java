package ristretto.kernels.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;
import ristretto.kernels.scalar.TapeBuilder;

class OracleDeviceTest {
  private final OracleDevice device = new OracleDevice();

  @Test
  void mapAddsBroadcastRowsAndReadsBackwards() {
    var t = new TapeBuilder();
    Tape add = t.build(t.apply(Op.ADD, t.input(0, ScalarType.F32), t.input(1, ScalarType.F32)));
    var map =
        new Kernel.Map(
            "add",
            Longs.of(2, 3),
            add,
            List.of(at(0, 2, 3, -1), at(1, 0, 0, 1)),
            List.of(at(2, 0, 3, 1)));
    Buffer z = floats(new float[6]);
    run(map, floats(1, 2, 3, 4, 5, 6), floats(10, 20, 30), z);
    assertThat(read(z)).containsExactly(13, 22, 31, 16, 25, 34);
    assertThat(device.counters().launches()).isEqualTo(1);
    assertThat(device.counters().cacheMisses()).isEqualTo(1);
  }

  @Test
  void boundsGiveZeroWithoutReading() {
    var padded =
        new Operand.Memory(
            ScalarType.F32,
            0,
            new Affine(-1, Longs.of(1)),
            Optional.empty(),
            List.of(new Operand.Bound(0, 1, 3)));
    Buffer z = floats(new float[4]);
    run(
        new Kernel.Map("pad", Longs.of(4), copy(), List.of(padded), List.of(at(1, 0, 1))),
        floats(7, 8),
        z);
    assertThat(read(z)).containsExactly(0, 7, 8, 0);
  }

  @Test
  void softmaxIsOneRowKernel() {
    var t = new TapeBuilder();
    int x = t.input(0, ScalarType.F32);
    int e = t.apply(Op.EXP, t.apply(Op.SUB, x, t.input(1, ScalarType.F32)));
    int y = t.apply(Op.DIV, e, t.input(2, ScalarType.F32));
    var row =
        new Kernel.Row(
            "softmax",
            Longs.of(2, 2),
            1,
            t.build(x, e, y),
            List.of(at(0, 0, 2, 1)),
            List.of(
                new Reduction(Reduction.Kind.MAX, ScalarType.F32, 0),
                new Reduction(Reduction.Kind.SUM, ScalarType.F32, 1)),
            List.of(new Kernel.Store(2, at(0, 0, 2, 1), false)));
    Buffer inPlace = floats(1000, 1000, 0, 1);
    run(row, inPlace);
    float p = (float) (1 / (1 + Math.E));
    assertThat(read(inPlace)).containsExactly(0.5f, 0.5f, p, 1 - p);
  }

  @Test
  void reductionsOfRows() {
    var t = new TapeBuilder();
    int x = t.input(0, ScalarType.F32);
    int arg = t.convert(t.input(2, ScalarType.I64), ScalarType.F32);
    var row =
        new Kernel.Row(
            "reduce",
            Longs.of(2, 3),
            1,
            t.build(x, t.input(1, ScalarType.F32), arg),
            List.of(at(0, 0, 3, 1)),
            List.of(
                new Reduction(Reduction.Kind.SUM, ScalarType.F32, 0),
                new Reduction(Reduction.Kind.ARGMAX, ScalarType.F32, 0)),
            List.of(
                new Kernel.Store(1, at(1, 0, 1, 0), true),
                new Kernel.Store(2, at(2, 0, 1, 0), true)));
    Buffer sums = floats(0, 0);
    Buffer positions = floats(0, 0);
    run(row, floats(1, 5, 5, Float.NaN, 9, Float.NaN), sums, positions);
    assertThat(read(sums)).containsExactly(11, Float.NaN);
    assertThat(read(positions)).containsExactly(1, 0);
  }

  @Test
  void scanRunsBothWays() {
    Buffer z = floats(0, 0, 0);
    run(scan(false, false), floats(1, 2, 3), z);
    assertThat(read(z)).containsExactly(1, 3, 6);
    run(scan(true, true), floats(1, 2, 3), z);
    assertThat(read(z)).containsExactly(5, 3, 0);
  }

  private static Kernel scan(boolean reverse, boolean exclusive) {
    return new Kernel.Scan(
        "scan",
        Longs.of(3),
        Kernel.Scan.Operator.ADD,
        reverse,
        exclusive,
        copy(),
        List.of(at(0, 0, 1)),
        at(1, 0, 1));
  }

  @Test
  void scatterAddsAtNegativeIndicesToo() {
    var gather = new Operand.Gather(ScalarType.I32, 1, new Affine(0, Longs.of(1)), 1, 3);
    var target =
        new Operand.Memory(
            ScalarType.F32, 2, new Affine(0, Longs.of(0)), Optional.of(gather), List.of());
    Buffer z = floats(100, 200, 300);
    Buffer indices = device.allocate(12);
    device.write(indices, 0, MemorySegment.ofArray(new int[] {0, -1, 0}));
    run(
        new Kernel.Scatter("scatter", Longs.of(3), copy(), List.of(at(0, 0, 1)), target),
        floats(1, 2, 3),
        indices,
        z);
    assertThat(read(z)).containsExactly(104, 200, 302);
  }

  @Test
  void gemmReadsATransposedOperand() {
    var gemm =
        new Kernel.Gemm(
            "gemm",
            ScalarType.F32,
            Longs.EMPTY,
            2,
            2,
            2,
            at(0, 0, 2, 1),
            at(1, 0, 1, 2),
            at(2, 0, 2, 1),
            1,
            10);
    Buffer c = floats(1, 1, 1, 1);
    run(gemm, floats(1, 2, 3, 4), floats(5, 6, 7, 8), c);
    assertThat(read(c)).containsExactly(17 + 10, 23 + 10, 39 + 10, 53 + 10);
  }

  @Test
  void sortIsStableWithNanLast() {
    var sort =
        new Kernel.Sort(
            "sort", Longs.of(4), true, 3, at(0, 0, 1), Optional.of(at(1, 0, 1)), Optional.empty());
    Buffer z = floats(0, 0, 0);
    run(sort, floats(1, Float.NaN, 3, 2), z);
    assertThat(read(z)).containsExactly(3, 2, 1);
  }

  @Test
  void wrongKernelsAreFound() {
    Buffer x = floats(1, 2, 3);
    assertThatThrownBy(() -> run(map(at(0, 1, 1), at(1, 0, 1)), x, floats(0, 0, 0)))
        .hasMessageContaining("element 3 of f32 is outside a buffer of 12 bytes");
    assertThatThrownBy(() -> run(map(at(0, 0, 1), at(1, 0, 0)), x, floats(0, 0, 0)))
        .hasMessageContaining("element 0 of buffer argument 1 is written twice, with 1.0 and 2.0");
    assertThatThrownBy(() -> run(map(at(0, 0, 1), at(1, 2, -1)), x, x))
        .hasMessageContaining("is overwritten at one point and read at another");
    assertThatThrownBy(() -> run(map(at(0, 0, 1), at(1, 0, 1)), device.allocate(12), x))
        .hasMessageContaining("read of element 0, which was never written");
  }

  @Test
  void closingFreesEveryBuffer() {
    Buffer a = device.allocate(100);
    device.allocate(28);
    assertThat(device.counters().bytesAllocated()).isEqualTo(128);
    a.close();
    a.close();
    assertThat(device.counters().bytesAllocated()).isEqualTo(28);
    device.close();
    assertThat(device.counters().bytesAllocated()).isZero();
    assertThat(device.counters().peakBytes()).isEqualTo(128);
  }

  private static Kernel map(Operand from, Operand.Memory to) {
    return new Kernel.Map("copy", Longs.of(3), copy(), List.of(from), List.of(to));
  }

  private static Tape copy() {
    var t = new TapeBuilder();
    return t.build(t.input(0, ScalarType.F32));
  }

  private static Operand.Memory at(int buffer, long offset, long... strides) {
    return new Operand.Memory(ScalarType.F32, buffer, new Affine(offset, Longs.of(strides)));
  }

  private Buffer floats(float... values) {
    Buffer buffer = device.allocate(4L * values.length);
    device.write(buffer, 0, MemorySegment.ofArray(values));
    return buffer;
  }

  private float[] read(Buffer buffer) {
    float[] values = new float[(int) (buffer.bytes() / 4)];
    device.read(buffer, 0, MemorySegment.ofArray(values));
    return values;
  }

  private void run(Kernel kernel, Buffer... buffers) {
    device.prepare(kernel).run(buffers, new long[0]);
  }
}
