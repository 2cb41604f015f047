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
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import ristretto.kernels.ClosedException;
import ristretto.kernels.DeviceException;
import ristretto.kernels.KernelException;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Launch;
import ristretto.kernels.device.Recording;
import ristretto.kernels.driver.DriverDeviceContract;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.TapeBuilder;

class CudaDeviceTest extends DriverDeviceContract {
  @Override
  protected CudaDevice another() {
    Assumptions.assumeTrue(TestDevice.hardware() != null, TestDevice.reason());
    return new CudaDevice(TestDevice.hardware());
  }

  @Test
  void brokenCodeIsShownWithItsLines() {
    String source = "typedef int i32;\n__global__ void f(i32* x) {\n  x[0] = y;\n}\n";
    var own = (CudaDevice) device;
    assertThatThrownBy(() -> own.programs.get(source, "map_broken", Map.of(), own.cached()))
        .isInstanceOf(KernelException.class)
        .hasMessageStartingWith(
            "[map_broken] generated CUDA C must compile; the compiler rejects it; this is a bug of"
                + " Ristretto or of the compiler, please report it\n")
        .hasMessageContaining("    3   x[0] = y;\n")
        .hasMessageContaining("log of the compiler:\nmap_broken.cu")
        .hasMessageContaining("source: ");
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
        List.of(vector(F32, 1, 0)),
        List.of(vector(F32, 0, 0)));
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
              "[map_add_f32_flat] a buffer must belong to the device that uses it; got one of"
                  + " another device on cuda:1; copy it through host memory");
    }
  }
}
