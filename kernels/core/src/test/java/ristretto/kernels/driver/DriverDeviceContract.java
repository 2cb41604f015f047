package ristretto.kernels.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.kernels.scalar.ScalarType.F32;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import ristretto.kernels.ClosedException;
import ristretto.kernels.DeviceException;
import ristretto.kernels.ShapeException;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Device;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

/** Contract of every device behind a driver; the tests of each such device begin with it. */
public abstract class DriverDeviceContract {
  protected Device device;

  /** Opens another one of the devices; skips the test where there is none. */
  protected abstract Device another();

  @BeforeEach
  public final void open() {
    device = another();
  }

  @AfterEach
  public final void close() {
    if (device != null) {
      device.close();
    }
  }

  /** y = x + {@code added}, for {@code n} elements. */
  public static Kernel plusConstant(int n, long offset, double added) {
    var t = new TapeBuilder();
    int sum = t.apply(Op.ADD, t.input(0, F32), t.constant(F32, added));
    return new Kernel.Map(
        "map_add_f32_flat",
        Longs.of(n),
        t.build(sum),
        List.of(vector(F32, 0, offset)),
        List.of(vector(F32, 1, 0)));
  }

  protected static Operand.Memory vector(ScalarType type, int buffer, long offset) {
    return new Operand.Memory(type, buffer, new Affine(offset, Longs.of(1)));
  }

  /** One program for all these sizes and offsets. */
  @Test
  public void otherSizesAndOffsetsCompileNothing() {
    for (int n : new int[] {70_001, 90_003, 91_001}) {
      try (Buffer x = device.allocate(4L * n + 40);
          Buffer y = device.allocate(4L * n)) {
        device.write(x, 0, MemorySegment.ofArray(new float[n + 10]));
        device.prepare(plusConstant(n, n % 10, 41.5)).run(new Buffer[] {x, y}, new long[0]);
        float[] result = new float[n];
        device.read(y, 0, MemorySegment.ofArray(result));
        assertThat(result).containsOnly(41.5f);
      }
    }
    assertThat(device.counters().cacheMisses()).isEqualTo(1);
    assertThat(device.counters().cacheHits()).isEqualTo(2);
    assertThat(device.counters().launches()).isEqualTo(3);
    assertThat(device.counters().bytesAllocated()).isZero();
  }

  @Test
  public void sumsAreAccurateAndTheSameEachTime() {
    checkSum(device, 1_000_003);
    checkSum(device, 777);
  }

  protected static void checkSum(Device device, int n) {
    float[] x = new float[n];
    var random = new Random(n);
    double exact = 0;
    double magnitudes = 0;
    for (int i = 0; i < n; i++) {
      x[i] = (float) random.nextGaussian();
      exact += x[i];
      magnitudes += Math.abs(x[i]);
    }
    var t = new TapeBuilder();
    int value = t.input(0, F32);
    var kernel =
        new Kernel.Row(
            "row_sum_f32_all",
            Longs.of(n),
            0,
            t.build(value, t.input(1, F32)),
            List.of(vector(F32, 0, 0)),
            List.of(new Reduction(Reduction.Kind.SUM, F32, 0)),
            List.of(
                new Kernel.Store(1, new Operand.Memory(F32, 1, new Affine(0, Longs.of(0))), true)));
    float[] first = new float[1];
    try (Buffer a = device.allocate(4L * n);
        Buffer s = device.allocate(4)) {
      device.write(a, 0, MemorySegment.ofArray(x));
      var launch = device.prepare(kernel);
      for (int k = 0; k < 3; k++) {
        launch.run(new Buffer[] {a, s}, new long[0]);
        float[] again = new float[1];
        device.read(s, 0, MemorySegment.ofArray(again));
        assertThat(k == 0 ? again[0] : first[0]).isEqualTo(again[0]);
        first = again;
      }
    }
    assertThat(Math.abs(first[0] - exact)).isLessThanOrEqualTo(1e-6 * magnitudes);
  }

  @Test
  public void indicesAreCheckedWheneverTheirBufferHasChanged() {
    var gather = new Operand.Gather(ScalarType.I32, 1, new Affine(0, Longs.of(1)), 1, 3);
    var taken =
        new Operand.Memory(F32, 0, new Affine(0, Longs.of(0)), Optional.of(gather), List.of());
    var t = new TapeBuilder();
    var kernel =
        new Kernel.Map(
            "map_copy_f32_gather",
            Longs.of(4),
            t.build(t.input(0, F32)),
            List.of(taken),
            List.of(vector(F32, 2, 0)));
    Buffer x = device.allocate(12);
    Buffer indices = device.allocate(16);
    Buffer y = device.allocate(16);
    device.write(x, 0, MemorySegment.ofArray(new float[] {10, 20, 30}));
    device.write(indices, 0, MemorySegment.ofArray(new int[] {2, -3, 0, -1}));
    var launch = device.prepare(kernel);
    launch.run(new Buffer[] {x, indices, y}, new long[0]);
    float[] result = new float[4];
    device.read(y, 0, MemorySegment.ofArray(result));
    assertThat(result).containsExactly(30, 10, 10, 30);
    device.write(indices, 8, MemorySegment.ofArray(new int[] {3}));
    assertThatThrownBy(() -> launch.run(new Buffer[] {x, indices, y}, new long[0]))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "[take] indices must lie in [-3, 3); got 3 at position 2; check the indices or the axis"
                + " they select from");
    assertThat(device.counters().launches()).isEqualTo(1);
  }

  @Test
  public void tooMuchMemoryIsAnErrorThatCounts() {
    try (Buffer held = device.allocate(20_000)) {
      assertThatThrownBy(() -> device.allocate(1L << 50))
          .isInstanceOf(DeviceException.class)
          .hasMessageStartingWith(
              "[allocate] memory must suffice; asked for 1.0 PiB with 19.5 KiB in use")
          .hasMessageEndingWith(
              "; the largest of 1 buffers hold 19.5 KiB; release tensors that are no longer needed,"
                  + " or close other contexts");
      assertThat(held.closed()).isFalse();
    }
  }

  @Test
  public void memoryEndsAtTheLimit() {
    String kind = device.name().substring(0, device.name().indexOf(':'));
    String property = "ristretto." + kind + ".memory-limit";
    System.setProperty(property, "64m");
    try (var limited = another()) {
      Buffer held = limited.allocate(40 << 20);
      assertThatThrownBy(() -> limited.allocate(30 << 20))
          .isInstanceOf(DeviceException.class)
          .hasMessageStartingWith(
              "[allocate] memory must suffice; asked for 30.0 MiB with 40.0 MiB in use (40.0 MiB"
                  + " with rounding) of ")
          .hasMessageEndingWith(
              " and a limit of 64.0 MiB; the largest of 1 buffers hold 40.0 MiB; release tensors"
                  + " that are no longer needed, or raise -D"
                  + property);
      assertThat(held.closed()).isFalse();
    } finally {
      System.clearProperty(property);
    }
  }

  @Test
  public void partsLieWithinTheirBuffer() {
    try (Buffer x = device.allocate(40)) {
      assertThatThrownBy(() -> device.write(x, 36, MemorySegment.ofArray(new float[2])))
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessage(
              "[write] the range must lie within the buffer; got 8 bytes from 36 of 40 bytes;"
                  + " correct the offset or the size");
    }
    assertThatThrownBy(() -> device.allocate(-1))
        .isInstanceOf(DeviceException.class)
        .hasMessage("[allocate] a buffer's size must not be negative; got -1 bytes");
  }

  @Test
  public void partsAreBuffersOfTheirOwn() {
    checkParts(device);
  }

  /** Contract of devices whose buffers have parts. */
  public static void checkParts(Device device) {
    int step = device.partAlignment();
    if (step == 0) {
      assertThat(device.part(device.allocate(64), 0, 64)).isEmpty();
      return;
    }
    int n = step / 4;
    Buffer whole = device.allocate(3L * step);
    long held = device.counters().bytesAllocated();
    Buffer first = device.part(whole, 0, step).orElseThrow();
    Buffer last = device.part(whole, 2L * step, step).orElseThrow();
    assertThat(last.bytes()).isEqualTo(step);
    device.write(whole, 0, MemorySegment.ofArray(new float[3 * n]));
    device.prepare(plusConstant(n, 0, 1.5)).run(new Buffer[] {first, last}, new long[0]);
    float[] result = new float[3 * n];
    device.read(whole, 0, MemorySegment.ofArray(result));
    for (int k = 0; k < result.length; k++) {
      assertThat(result[k]).isEqualTo(k < 2 * n ? 0 : 1.5f);
    }
    assertThat(device.counters().bytesAllocated()).isEqualTo(held);
    assertThatThrownBy(() -> device.part(whole, step, 3L * step))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessage(
            String.format(
                    Locale.ROOT,
                    "[part] the range must lie within the buffer; got %d bytes from %d of %d bytes;"
                        + " correct",
                    3 * step,
                    step,
                    3 * step)
                + " the offset or the size");
    first.close();
    assertThat(whole.closed()).isFalse();
    whole.close();
    assertThat(last.closed()).isTrue();
    assertThat(device.counters().bytesAllocated()).isEqualTo(held - 3L * step);
    assertThatThrownBy(() -> device.read(last, 0, MemorySegment.ofArray(new float[1])))
        .isInstanceOf(ClosedException.class);
  }

  @Test
  public void buffersBelongToTheirDevice() {
    try (var other = another();
        Buffer x = other.allocate(40)) {
      String rest =
          "a buffer must belong to the device that uses it; got one of another device on "
              + device.name()
              + "; copy it through host memory";
      assertThatThrownBy(() -> device.read(x, 0, MemorySegment.ofArray(new float[1])))
          .isInstanceOf(DeviceException.class)
          .hasMessage("[read] " + rest);
      var launch = device.prepare(plusConstant(10, 0, 1));
      assertThatThrownBy(() -> launch.run(new Buffer[] {x, x}, new long[0]))
          .isInstanceOf(DeviceException.class)
          .hasMessage("[map_add_f32_flat] " + rest);
    }
  }

  @Test
  public void closedThingsAreNotUsed() {
    Buffer x = device.allocate(40);
    Buffer y = device.allocate(40);
    var launch = device.prepare(plusConstant(10, 0, 42.5));
    x.close();
    assertThatThrownBy(() -> launch.run(new Buffer[] {x, y}, new long[0]))
        .isInstanceOf(ClosedException.class)
        .hasMessage(
            "[map_add_f32_flat] a buffer must be open while it is used; got a closed one of 40"
                + " bytes; keep the tensor or its context open until its last use");
    device.close();
    assertThat(y.closed()).isTrue();
    String rest =
        "a device must be open to be used; got a closed "
            + device.name()
            + " device; open a new context";
    assertThatThrownBy(() -> device.allocate(4))
        .isInstanceOf(ClosedException.class)
        .hasMessage("[allocate] " + rest);
    assertThatThrownBy(() -> launch.run(new Buffer[] {x, y}, new long[0]))
        .isInstanceOf(ClosedException.class)
        .hasMessage("[map_add_f32_flat] " + rest);
  }

  /** Contract of devices that do not compute in F64. */
  protected static void checkRefusesF64(Device narrow) {
    var t = new TapeBuilder();
    var kernel =
        new Kernel.Map(
            "map_cast_f64_flat",
            Longs.of(3),
            t.build(t.convert(t.input(0, F32), ScalarType.F64)),
            List.of(vector(F32, 0, 0)),
            List.of(vector(ScalarType.F64, 1, 0)));
    assertThatThrownBy(() -> narrow.prepare(kernel))
        .isInstanceOf(DeviceException.class)
        .hasMessage(
            "[map_cast_f64_flat] f64 needs a device that computes in it; this one does not; use"
                + " f32, or another device such as cpu");
  }
}
