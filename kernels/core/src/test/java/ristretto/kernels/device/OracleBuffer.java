package ristretto.kernels.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import ristretto.kernels.scalar.ScalarOps;
import ristretto.kernels.scalar.ScalarType;

/** Heap memory that knows its bounds and which of its bytes were ever written. */
final class OracleBuffer implements Buffer {
  private final OracleDevice device;
  private final long bytes;
  private final BitSet written = new BitSet();
  private MemorySegment memory;

  OracleBuffer(OracleDevice device, long bytes) {
    this.device = device;
    this.bytes = bytes;
    this.memory =
        MemorySegment.ofArray(new long[Math.toIntExact((bytes + 7) / 8)]).asSlice(0, bytes);
    memory.fill((byte) 0xFF);
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public boolean closed() {
    return memory == null;
  }

  @Override
  public void close() {
    if (!closed()) {
      memory = null;
      device.released(this);
    }
  }

  /** Copies host memory in. */
  void write(long offset, MemorySegment source) {
    open().asSlice(offset, source.byteSize()).copyFrom(source);
    written.set((int) offset, (int) (offset + source.byteSize()));
  }

  /** Copies out to host memory. */
  void read(long offset, MemorySegment target) {
    target.copyFrom(open().asSlice(offset, target.byteSize()));
  }

  /** The element as its compute type's Java value. */
  Object get(ScalarType type, long element) {
    long at = address(type, element);
    if (written.nextClearBit((int) at) < at + type.bytes()) {
      throw new AssertionError("read of element " + element + ", which was never written");
    }
    return switch (type) {
      case BOOL -> {
        byte b = memory.get(ValueLayout.JAVA_BYTE, at);
        if (b != 0 && b != 1) {
          throw new AssertionError("a bool is 0 or 1; got " + b + " at element " + element);
        }
        yield b == 1;
      }
      case I8 -> (int) memory.get(ValueLayout.JAVA_BYTE, at);
      case U8 -> memory.get(ValueLayout.JAVA_BYTE, at) & 0xFF;
      case I16 -> (int) memory.get(ValueLayout.JAVA_SHORT, at);
      case U16 -> memory.get(ValueLayout.JAVA_SHORT, at) & 0xFFFF;
      case U32 -> memory.get(ValueLayout.JAVA_INT, at) & 0xFFFF_FFFFL;
      case I32 -> memory.get(ValueLayout.JAVA_INT, at);
      case I64, U64 -> memory.get(ValueLayout.JAVA_LONG, at);
      case F16 -> Float.float16ToFloat(memory.get(ValueLayout.JAVA_SHORT, at));
      case BF16 -> Float.intBitsToFloat(memory.get(ValueLayout.JAVA_SHORT, at) << 16);
      case F32 -> memory.get(ValueLayout.JAVA_FLOAT, at);
      case F64 -> memory.get(ValueLayout.JAVA_DOUBLE, at);
    };
  }

  /** Stores a value of the compute type (or its wider relative), narrowed to {@code type}. */
  void set(ScalarType type, long element, Object value) {
    long at = address(type, element);
    Object v = ScalarOps.convert(value, type.compute());
    switch (type) {
      case BOOL -> memory.set(ValueLayout.JAVA_BYTE, at, (byte) ((Boolean) v ? 1 : 0));
      case I8, U8 -> memory.set(ValueLayout.JAVA_BYTE, at, ((Integer) v).byteValue());
      case I16, U16 -> memory.set(ValueLayout.JAVA_SHORT, at, ((Integer) v).shortValue());
      case U32 -> memory.set(ValueLayout.JAVA_INT, at, ((Long) v).intValue());
      case I32 -> memory.set(ValueLayout.JAVA_INT, at, (Integer) v);
      case I64, U64 -> memory.set(ValueLayout.JAVA_LONG, at, (Long) v);
      case F16 -> memory.set(ValueLayout.JAVA_SHORT, at, Float.floatToFloat16((Float) v));
      case BF16 -> memory.set(ValueLayout.JAVA_SHORT, at, toBfloat((Float) v));
      case F32 -> memory.set(ValueLayout.JAVA_FLOAT, at, (Float) v);
      case F64 -> memory.set(ValueLayout.JAVA_DOUBLE, at, (Double) v);
    }
    written.set((int) at, (int) at + type.bytes());
  }

  /** Round to nearest, ties to even. */
  private static short toBfloat(float v) {
    int bits = Float.floatToIntBits(v);
    if (Float.isNaN(v)) {
      return (short) (bits >>> 16);
    }
    return (short) (bits + 0x7FFF + (bits >>> 16 & 1) >>> 16);
  }

  private long address(ScalarType type, long element) {
    open();
    if (element < 0 || (element + 1) * type.bytes() > bytes) {
      throw new AssertionError(
          "element "
              + element
              + " of "
              + type.label()
              + " is outside a buffer of "
              + bytes
              + " bytes");
    }
    return element * type.bytes();
  }

  private MemorySegment open() {
    if (closed()) {
      throw new AssertionError("use of a closed buffer of " + bytes + " bytes");
    }
    return memory;
  }
}
