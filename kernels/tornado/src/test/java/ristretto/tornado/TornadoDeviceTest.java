package ristretto.tornado;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static ristretto.kernels.scalar.ScalarType.F32;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import ristretto.kernels.ClosedException;
import ristretto.kernels.DeviceException;
import ristretto.kernels.KernelException;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.MemoryLimit;
import ristretto.kernels.ir.Affine;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Operand;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.TapeBuilder;
import ristretto.kernels.source.JavaDialect;
import ristretto.kernels.source.Target;

class TornadoDeviceTest {
  private static Accelerator accelerator;
  private TornadoDevice device;

  @BeforeEach
  void open() {
    Sdk.Found found = Sdk.find();
    Assumptions.assumeFalse(found.devices().isEmpty(), found.remedy());
    accelerator = found.devices().getFirst();
    device = new TornadoDevice(accelerator, 0);
  }

  @AfterEach
  void close() {
    if (device != null) {
      device.close();
    }
  }

  private static Operand.Memory vector(ScalarType type, int buffer, long offset) {
    return new Operand.Memory(type, buffer, new Affine(offset, Longs.of(1)));
  }

  private static Kernel plusConstant(int n, long offset, double added) {
    var t = new TapeBuilder();
    int sum = t.apply(Op.ADD, t.input(0, F32), t.constant(F32, added));
    return new Kernel.Map(
        "map_add_f32_flat",
        Longs.of(n),
        t.build(sum),
        List.of(vector(F32, 0, offset)),
        List.of(vector(F32, 1, 0)));
  }

  @Test
  void otherSizesAndOffsetsCompileNothing() {
    for (int n : new int[] {5, 1000, 70_001}) {
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

  /** A method of that name is no kernel of OpenCL C, because it has a function of that name. */
  @Test
  void codeThatDoesNotCompileIsShownWithItsLines() {
    String source =
        "import uk.ac.manchester.tornado.api.KernelContext;\npublic final class "
            + JavaDialect.CLASS
            + " {\n"
            + "  private int unused;\n\n"
            + "  public static void all(KernelContext context) {\n"
            + "  }\n"
            + "}\n";
    assertThatThrownBy(() ->
            device.programs.get(new Programs.Key(source, Map.of()), "map_broken", device.cached()))
        .isInstanceOf(KernelException.class)
        .hasMessageStartingWith(
            "[map_broken] generated Java must compile; the compiler refuses it; this is a bug of"
                + " Ristretto or of the compiler, please report it\n")
        .hasMessageContaining("    5   public static void all(KernelContext context) {\n")
        .hasMessageContaining("log of the compiler:\nall: ")
        .hasMessageContaining("the OpenCL driver made no kernel")
        .hasMessageContaining("source: ");
  }

  /** TornadoVM would let the driver choose other groups. */
  @Test
  void groupsThatAreTooLargeAreAnError() {
    Target t = device.target;
    var greedy =
        new Target(t.dialect(), t.wide(), 1 << 20, t.rowGroup(), t.units(), t.localBytes());
    try (var other = new TornadoDevice(accelerator, 3, greedy);
        Buffer x = other.allocate(4 << 20)) {
      var launch = other.prepare(plusConstant(1 << 20, 0, 43.5));
      assertThatThrownBy(() -> launch.run(new Buffer[] {x, x}, new long[0]))
          .isInstanceOf(DeviceException.class)
          .hasMessage(
              "[map_add_f32_flat] TornadoVM must do its work; tornado:3 answers:"
                  + " uk.ac.manchester.tornado.api.exceptions.TornadoBailoutRuntimeException:"
                  + " groups are larger than the device has them; the device may be lost or its"
                  + " memory full: open a new context, and look into the system's log if it happens"
                  + " again");
    }
  }

  @Test
  void failuresNameTheirCause() {
    var cause = new IllegalArgumentException("\u001b[31mCL_OUT_OF_RESOURCES\u001b[0m");
    assertThat(Failure.of("read", "tornado:0", new IllegalStateException("outer", cause)))
        .hasMessage(
            "[read] TornadoVM must do its work; tornado:0 answers:"
                + " java.lang.IllegalArgumentException: CL_OUT_OF_RESOURCES; the device may be lost"
                + " or its memory full: open a new context, and look into the system's log if it"
                + " happens again");
  }

  @Test
  void f64NeedsADeviceThatHasIt() {
    Target own = device.target;
    var narrow = new Target(own.dialect(), false, 256, 64, 8, own.localBytes());
    var t = new TapeBuilder();
    var kernel =
        new Kernel.Map(
            "map_cast_f64_flat",
            Longs.of(3),
            t.build(t.convert(t.input(0, F32), ScalarType.F64)),
            List.of(vector(F32, 0, 0)),
            List.of(vector(ScalarType.F64, 1, 0)));
    try (var other = new TornadoDevice(accelerator, 0, narrow)) {
      assertThatThrownBy(() -> other.prepare(kernel))
          .isInstanceOf(DeviceException.class)
          .hasMessage(
              "[map_cast_f64_flat] f64 needs a device that computes in it; this one does not; use"
                  + " f32, or another device such as cpu");
    }
  }

  @Test
  void memoryEndsAtTheLimit() {
    String property = "ristretto.tornado.memory-limit";
    System.setProperty(property, "64m");
    try (var other = new TornadoDevice(accelerator, 0)) {
      Buffer held = other.allocate(40 << 20);
      assertThatThrownBy(() -> other.allocate(30 << 20))
          .isInstanceOf(DeviceException.class)
          .hasMessage(
              "[allocate] memory must suffice; asked for 30.0 MiB with 40.0 MiB in use (40.0 MiB"
                  + " with rounding) of "
                  + MemoryLimit.words(accelerator.memory())
                  + " in buffers of at most "
                  + MemoryLimit.words(accelerator.largestBuffer())
                  + " and a limit of 64.0 MiB; the largest of 1 buffers hold 40.0 MiB;"
                  + " let go of tensors that are no longer needed, or raise"
                  + " -Dristretto.tornado.memory-limit");
      assertThat(held.closed()).isFalse();
    } finally {
      System.clearProperty(property);
    }
  }

  @Test
  void partsLieWithinTheBuffer() {
    try (Buffer x = device.allocate(40)) {
      assertThatThrownBy(() -> device.write(x, 36, MemorySegment.ofArray(new float[2])))
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessage(
              "[write] the part must lie within the buffer; got 8 bytes from 36 of 40 bytes;"
                  + " correct the offset or the size");
    }
    assertThatThrownBy(() -> device.allocate(-1))
        .isInstanceOf(DeviceException.class)
        .hasMessage("[allocate] a buffer's size must not be negative; got -1 bytes");
  }

  @Test
  void buffersOfOtherDevices() {
    try (var other = new TornadoDevice(accelerator, 1);
        Buffer x = other.allocate(4)) {
      assertThatThrownBy(() -> device.read(x, 0, MemorySegment.ofArray(new float[1])))
          .isInstanceOf(DeviceException.class)
          .hasMessage(
              "[read] a buffer must be of the device that uses it; got one of another device on"
                  + " tornado:0; copy it through host memory");
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
        .hasMessage(
            "[map_add_f32_flat] a buffer must be open while it is used; got a closed one of 40"
                + " bytes; keep the tensor or its context open until the work on it is done");
    device.close();
    assertThat(y.closed()).isTrue();
    assertThatThrownBy(() -> device.allocate(4))
        .isInstanceOf(ClosedException.class)
        .hasMessage(
            "[allocate] a device must be open to be used; got a closed tornado:0 device; open a new"
                + " context");
  }
}
