package ristretto.kernels.device;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.PrintKernel;
import ristretto.kernels.scalar.ScalarType;

/**
 * Compares what a device does to all buffers of a {@link RandomKernel} with what {@link
 * OracleDevice} does.
 */
public final class Conformance {
  private Conformance() {}

  /** The kernel that these numbers spell. */
  public static Kernel kernel(List<Integer> numbers) {
    return new RandomKernel(numbers).kernel;
  }

  /** Throws an {@link AssertionError} that shows the kernel and the first element that differs. */
  public static void check(Device device, List<Integer> numbers) {
    var random = new RandomKernel(numbers);
    if (random.kernel instanceof Kernel.FusedGemm fused && !device.fuses(fused)) {
      return;
    }
    if (random.kernel instanceof Kernel.Convolution c && !device.convolves(c)) {
      return;
    }
    if (random.kernel instanceof Kernel.Fourier
        && device.transforms().orElse(null) != Kernel.Fourier.Layout.PLANES) {
      return;
    }
    List<Buffer> expected;
    try (var oracle = new OracleDevice()) {
      expected = run(oracle, random);
      List<Buffer> actual = run(device, random);
      for (int b = 0; b < expected.size(); b++) {
        compare(random, b, values(oracle, expected.get(b)), values(device, actual.get(b)));
      }
      actual.forEach(Buffer::close);
    }
  }

  private static List<Buffer> run(Device device, RandomKernel random) {
    var buffers = new ArrayList<Buffer>();
    for (MemorySegment content : random.contents) {
      Buffer buffer = device.allocate(content.byteSize());
      device.write(buffer, 0, content);
      buffers.add(buffer);
    }
    try {
      device.prepare(random.kernel).run(buffers.toArray(Buffer[]::new), random.scalars);
    } catch (RuntimeException e) {
      throw new AssertionError(e.getMessage() + "\n" + PrintKernel.apply(random.kernel), e);
    }
    return buffers;
  }

  /** The buffer's bytes in a buffer that can tell values. */
  private static OracleBuffer values(Device device, Buffer buffer) {
    MemorySegment bytes =
        MemorySegment.ofArray(new long[(int) (buffer.bytes() + 7) / 8]).asSlice(0, buffer.bytes());
    device.read(buffer, 0, bytes);
    var copy = (OracleBuffer) new OracleDevice().allocate(buffer.bytes());
    copy.write(0, bytes);
    return copy;
  }

  /** Libraries' products and Fourier transforms leave the sign of zeros open. */
  private static boolean bothZero(Object a, Object b) {
    return ((Number) a).doubleValue() == 0 && ((Number) b).doubleValue() == 0;
  }

  private static void compare(
      RandomKernel random, int b, OracleBuffer expected, OracleBuffer actual) {
    ScalarType type = random.types.get(b);
    for (long k = 0; k < random.contents.get(b).byteSize() / type.bytes(); k++) {
      Object want = expected.get(type, k);
      Object got = actual.get(type, k);
      boolean product = List.of("gemm", "convolution", "fourier").contains(random.kernel.kind());
      if (!want.equals(got) && !(product && bothZero(want, got))) {
        throw new AssertionError(
            "element "
                + k
                + " of buffer "
                + b
                + " is "
                + got
                + "; expected "
                + want
                + "\n"
                + PrintKernel.apply(random.kernel));
      }
    }
  }
}
