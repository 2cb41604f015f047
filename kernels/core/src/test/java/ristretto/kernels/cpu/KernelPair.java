package ristretto.kernels.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import ristretto.kernels.device.Buffer;
import ristretto.kernels.device.Device;
import ristretto.kernels.device.OracleDevice;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.scalar.ScalarType;

/**
 * Runs a kernel on the cpu device and on the oracle with the same contents of all buffers, and
 * compares them after.
 */
final class KernelPair {
  /** Contents of one buffer argument. */
  record Content(ScalarType type, byte[] bytes) {}

  private final List<Content> contents = new ArrayList<>();
  private final Random random;

  KernelPair(Random random) {
    this.random = random;
  }

  /** A new argument of {@code elements} small values; its number. */
  int argument(ScalarType type, long elements) {
    MemorySegment memory = MemorySegment.ofArray(new byte[(int) elements * type.bytes()]);
    for (long i = 0; i < elements; i++) {
      double value = random.nextInt(200) - 100;
      switch (type) {
        case BOOL -> memory.set(ValueLayout.JAVA_BYTE, i, (byte) (random.nextBoolean() ? 1 : 0));
        case I8, U8 -> memory.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
        case F16 ->
            memory.set(
                ValueLayout.JAVA_SHORT_UNALIGNED, 2 * i, Float.floatToFloat16((float) value / 8));
        case BF16 ->
            memory.set(
                ValueLayout.JAVA_SHORT_UNALIGNED,
                2 * i,
                (short) (Float.floatToIntBits((float) value) >>> 16));
        case I16, U16 ->
            memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, 2 * i, (short) Math.abs(value));
        case U32 -> memory.set(ValueLayout.JAVA_INT_UNALIGNED, 4 * i, (int) Math.abs(value));
        case I32 -> memory.set(ValueLayout.JAVA_INT_UNALIGNED, 4 * i, (int) value);
        case I64, U64 -> memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 8 * i, (long) value);
        case F32 -> memory.set(ValueLayout.JAVA_FLOAT_UNALIGNED, 4 * i, (float) value / 8);
        case F64 -> memory.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, 8 * i, value / 8);
      }
    }
    contents.add(new Content(type, (byte[]) memory.heapBase().orElseThrow()));
    return contents.size() - 1;
  }

  /** A new argument of F32 or F64 numbers with random bits below the point, whose sums round. */
  int fractions(ScalarType type, long elements) {
    MemorySegment memory = MemorySegment.ofArray(new byte[(int) elements * type.bytes()]);
    for (long i = 0; i < elements; i++) {
      if (type == ScalarType.F32) {
        memory.set(ValueLayout.JAVA_FLOAT_UNALIGNED, 4 * i, random.nextFloat() - 0.5f);
      } else {
        memory.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, 8 * i, random.nextDouble() - 0.5);
      }
    }
    contents.add(new Content(type, (byte[]) memory.heapBase().orElseThrow()));
    return contents.size() - 1;
  }

  /** A new argument of I32 or I64 indices in [-extent, extent). */
  int indices(ScalarType type, long elements, int extent) {
    MemorySegment memory = MemorySegment.ofArray(new byte[(int) elements * type.bytes()]);
    for (long i = 0; i < elements; i++) {
      int k = random.nextInt(2 * extent) - extent;
      if (type == ScalarType.I32) {
        memory.set(ValueLayout.JAVA_INT_UNALIGNED, 4 * i, k);
      } else {
        memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 8 * i, k);
      }
    }
    contents.add(new Content(type, (byte[]) memory.heapBase().orElseThrow()));
    return contents.size() - 1;
  }

  MemorySegment content(int argument) {
    return MemorySegment.ofArray(contents.get(argument).bytes);
  }

  byte[][] run(Device device, Kernel kernel, long... scalars) {
    try (Arena arena = Arena.ofConfined()) {
      Buffer[] buffers = new Buffer[contents.size()];
      for (int k = 0; k < buffers.length; k++) {
        byte[] bytes = contents.get(k).bytes;
        buffers[k] = device.allocate(bytes.length);
        MemorySegment native_ = arena.allocate(Math.max(1, bytes.length));
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, native_, 0, bytes.length);
        device.write(buffers[k], 0, native_.asSlice(0, bytes.length));
      }
      device.prepare(kernel).run(buffers, scalars);
      byte[][] results = new byte[buffers.length][];
      for (int k = 0; k < buffers.length; k++) {
        results[k] = new byte[contents.get(k).bytes.length];
        device.read(buffers[k], 0, MemorySegment.ofArray(results[k]));
        buffers[k].close();
      }
      return results;
    }
  }

  /**
   * Asserts that both devices leave the same in all buffers; floats within {@code tolerance},
   * relative.
   */
  void compare(Device device, Kernel kernel, double tolerance, long... scalars) {
    byte[][] expected;
    try (var oracle = new OracleDevice()) {
      expected = run(oracle, kernel, scalars);
    }
    byte[][] actual = run(device, kernel, scalars);
    for (int k = 0; k < contents.size(); k++) {
      same(kernel, k, expected[k], actual[k], tolerance);
    }
  }

  private void same(Kernel kernel, int argument, byte[] expected, byte[] actual, double tolerance) {
    ScalarType type = contents.get(argument).type;
    for (int i = 0; i < expected.length / type.bytes(); i++) {
      Number e = element(type, expected, i);
      Number a = element(type, actual, i);
      boolean close =
          e.equals(a)
              || type.isFloat()
                  && Math.abs(e.doubleValue() - a.doubleValue())
                      <= tolerance * Math.max(1, Math.abs(e.doubleValue()));
      assertThat(close)
          .as("argument %d element %d: expected %s, got %s in %s", argument, i, e, a, kernel)
          .isTrue();
    }
  }

  static Number element(ScalarType type, byte[] bytes, int i) {
    MemorySegment m = MemorySegment.ofArray(bytes);
    return switch (type) {
      case BOOL, I8, U8 -> bytes[i];
      case I16, U16 -> m.get(ValueLayout.JAVA_SHORT_UNALIGNED, 2L * i);
      case U32 -> m.get(ValueLayout.JAVA_INT_UNALIGNED, 4L * i);
      case F16 -> Float.float16ToFloat(m.get(ValueLayout.JAVA_SHORT_UNALIGNED, 2L * i));
      case BF16 -> Float.intBitsToFloat(m.get(ValueLayout.JAVA_SHORT_UNALIGNED, 2L * i) << 16);
      case I32 -> m.get(ValueLayout.JAVA_INT_UNALIGNED, 4L * i);
      case I64, U64 -> m.get(ValueLayout.JAVA_LONG_UNALIGNED, 8L * i);
      case F32 -> m.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 4L * i);
      case F64 -> m.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, 8L * i);
    };
  }
}
