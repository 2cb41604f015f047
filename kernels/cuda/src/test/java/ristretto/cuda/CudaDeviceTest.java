package ristretto.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.kernels.scalar.ScalarType.F32;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import ristretto.kernels.ClosedException;
import ristretto.kernels.DeviceException;
import ristretto.kernels.KernelException;
import ristretto.kernels.ShapeException;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Launch;
import ristretto.kernels.device.Recording;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;

class CudaDeviceTest {
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

  @Test
  void otherSizesAndOffsetsCompileNothing() {
    for (int n : new int[] {70_001, 90_003, 91_001}) {
      try (Buffer x = device.allocate(4L * n + 40);
          Buffer y = device.allocate(4L * n)) {
        device.write(x, 0, MemorySegment.ofArray(new float[n + 10]));
        device.prepare(plusConstant(n, n % 10, 41.5)).run(new Buffer[] {x, y}, new long[0]);
        float[] result = new float[n];
        device.read(y, 0, MemorySegment.ofArray(result));
        assertThat(result[n - 1]).isEqualTo(41.5f);
      }
    }
    assertThat(device.counters().cacheMisses()).isEqualTo(1);
    assertThat(device.counters().cacheHits()).isEqualTo(2);
    assertThat(device.counters().launches()).isEqualTo(3);
    assertThat(device.counters().bytesAllocated()).isZero();
  }

  private static Kernel plusConstant(int n, long offset, double added) {
    var t = new TapeBuilder();
    int sum = t.apply(Op.ADD, t.input(0, F32), t.constant(F32, added));
    return new Kernel.Map(
        "map_add_f32_flat",
        Longs.of(n),
        t.build(sum),
        List.of(vector(0, offset)),
        List.of(vector(1, 0)));
  }

  private static Operand.Memory vector(int buffer, long offset) {
    return new Operand.Memory(F32, buffer, new Affine(offset, Longs.of(1)));
  }

  @Test
  void sumsAreAccurateAndTheSameEachTime() {
    checkSum(device, 1_000_003);
    checkSum(device, 777);
  }

  private static void checkSum(CudaDevice device, int n) {
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
            List.of(vector(0, 0)),
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
  void indicesAreCheckedWheneverTheirBufferHasChanged() {
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
            List.of(vector(2, 0)));
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
  }

  @Test
  void brokenCodeIsShownWithItsLines() {
    String source = "typedef int i32;\n__global__ void f(i32* x) {\n  x[0] = y;\n}\n";
    assertThatThrownBy(() ->
            device.programs.get(new Programs.Key(source, Map.of()), "map_broken", device.cached()))
        .isInstanceOf(KernelException.class)
        .hasMessageStartingWith(
            "[map_broken] generated CUDA C must compile; the compiler refuses it; this is a bug of"
                + " Ristretto or of the compiler, please report it\n")
        .hasMessageContaining("    3   x[0] = y;\n")
        .hasMessageContaining("log of the compiler:\nmap_broken.cu")
        .hasMessageContaining("source: ");
  }

  @Test
  void tooMuchMemoryIsAnErrorThatCounts() {
    try (Buffer held = device.allocate(20_000)) {
      assertThatThrownBy(() -> device.allocate(1L << 50))
          .isInstanceOf(DeviceException.class)
          .hasMessageStartingWith(
              "[allocate] memory must suffice; asked for 1.0 PiB with 19.5 KiB in use")
          .hasMessageEndingWith(
              "; the largest of 1 buffers hold 19.5 KiB; let go of tensors that are no longer"
                  + " needed, or close other contexts");
      assertThat(held.closed()).isFalse();
    }
  }

  @Test
  void closedThingsAreNotUsed() {
    Buffer x = device.allocate(40);
    Buffer y = device.allocate(40);
    var launch = device.prepare(plusConstant(10, 0, 42.5));
    x.close();
    assertThatThrownBy(() -> launch.run(new Buffer[] {x, y}, new long[0]))
        .isInstanceOf(ClosedException.class)
        .hasMessageStartingWith("[map_add_f32_flat] a buffer must be open while it is used");
    device.close();
    assertThat(y.closed()).isTrue();
    assertThatThrownBy(() -> device.allocate(4))
        .isInstanceOf(ClosedException.class)
        .hasMessage(
            "[allocate] a device must be open to be used; got a closed cuda:0 device; open a new"
                + " context");
  }

  /** Copies of more than one piece of pinned memory, with what launches do in between. */
  @Test
  void copiesOfAllSizes() {
    for (int bytes : new int[] {0, 1, 4096, (2 << 20) - 1, 2 << 20, (5 << 20) + 3}) {
      byte[] from = new byte[bytes];
      new Random(bytes).nextBytes(from);
      byte[] to = new byte[bytes];
      try (Buffer x = device.allocate(bytes + 7L)) {
        device.write(x, 7, MemorySegment.ofArray(from));
        Arrays.fill(from, 0, Math.min(bytes, 100), (byte) 0);
        device.read(x, 7, MemorySegment.ofArray(to));
      }
      byte[] expected = new byte[bytes];
      new Random(bytes).nextBytes(expected);
      assertThat(to).isEqualTo(expected);
    }
  }

  @Test
  void memoryOfTheHostIsCopiedFromWhereverItIs() {
    try (Arena arena = Arena.ofConfined();
        Buffer x = device.allocate(16)) {
      MemorySegment outside = arena.allocateFrom(ValueLayout.JAVA_INT, 1, 2, 3, 4);
      device.write(x, 0, outside);
      device.read(x, 4, outside.asSlice(8, 8));
      assertThat(outside.toArray(ValueLayout.JAVA_INT)).containsExactly(1, 2, 2, 3);
    }
  }

  @Test
  void aRecordingDoesWhatItsLaunchesDo() {
    int n = 1000;
    try (Buffer x = device.allocate(4L * n);
        Buffer y = device.allocate(4L * n)) {
      device.write(x, 0, MemorySegment.ofArray(new float[n]));
      Launch forth = device.prepare(plusConstant(n, 0, 2));
      Launch back = device.prepare(plusConstantBack(n));
      var buffers = new Buffer[] {x, y};
      try (Recording recording =
          device.record(List.of(forth, back, forth), buffers, new long[0]).orElseThrow()) {
        recording.run();
        recording.run();
        float[] result = new float[n];
        device.read(y, 0, MemorySegment.ofArray(result));
        // y: 2, x: 3, y: 5; then y: 5, x: 6, y: 8.
        assertThat(result).containsOnly(8);
        assertThat(device.counters().launches()).isEqualTo(6);
        x.close();
        assertThatThrownBy(recording::run)
            .isInstanceOf(ClosedException.class)
            .hasMessageStartingWith("[map_add_f32_flat] a buffer must be open while it is used");
      }
    }
  }

  /** x = y + 1. */
  private static Kernel plusConstantBack(int n) {
    var t = new TapeBuilder();
    int sum = t.apply(Op.ADD, t.input(0, F32), t.constant(F32, 1));
    return new Kernel.Map(
        "map_add_f32_flat",
        Longs.of(n),
        t.build(sum),
        List.of(vector(1, 0)),
        List.of(vector(0, 0)));
  }

  @Test
  void severalGpusWorkSideBySide() {
    Assumptions.assumeTrue(TestDevice.all().size() > 1, "there is one GPU only");
    try (var second = new CudaDevice(TestDevice.all().get(1));
        Buffer here = device.allocate(40);
        Buffer there = second.allocate(40);
        Buffer result = second.allocate(40)) {
      device.write(here, 0, MemorySegment.ofArray(new float[10]));
      second.write(there, 0, MemorySegment.ofArray(new float[10]));
      var launch = second.prepare(plusConstant(10, 0, 1));
      launch.run(new Buffer[] {there, result}, new long[0]);
      float[] y = new float[10];
      second.read(result, 0, MemorySegment.ofArray(y));
      assertThat(y).containsOnly(1);
      assertThatThrownBy(() -> launch.run(new Buffer[] {here, result}, new long[0]))
          .isInstanceOf(DeviceException.class)
          .hasMessage(
              "[map_add_f32_flat] a buffer must be of the device that uses it; got one of another"
                  + " device on cuda:1; copy it through host memory");
    }
  }

  @Test
  void memoryCanBeLimited() {
    String property = "ristretto.cuda.memory-limit";
    System.setProperty(property, "1m");
    try (var limited = new CudaDevice(TestDevice.hardware())) {
      assertThatThrownBy(() -> limited.allocate(2 << 20))
          .isInstanceOf(DeviceException.class)
          .hasMessageContaining(" and a limit of 1.0 MiB; ")
          .hasMessageEndingWith("or raise -Dristretto.cuda.memory-limit");
    } finally {
      System.clearProperty(property);
    }
  }

  @Test
  void partsLieWithinTheirBuffer() {
    try (Buffer x = device.allocate(16)) {
      assertThatThrownBy(() -> device.write(x, 8, MemorySegment.ofArray(new byte[9])))
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessage(
              "[write] the part must lie within the buffer; got 9 bytes from 8 of 16 bytes; correct"
                  + " the offset or the size");
    }
    assertThatThrownBy(() -> device.allocate(-1))
        .isInstanceOf(DeviceException.class)
        .hasMessage("[allocate] a buffer's size must not be negative; got -1 bytes");
  }
}
