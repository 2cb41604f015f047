package ristretto.kernels.scalar;

/**
 * Element types. {@code F16}, {@code BF16}, {@code I8} and {@code U8} exist in memory only: a load
 * widens them to their {@link #compute()} type and a store narrows the value, so they never appear
 * in a tape.
 */
public enum ScalarType {
  BOOL(1),
  I8(1),
  U8(1),
  I32(4),
  I64(8),
  F16(2),
  BF16(2),
  F32(4),
  F64(8);

  private final int bytes;

  ScalarType(int bytes) {
    this.bytes = bytes;
  }

  /** Size of one element in memory, in bytes; a BOOL is one byte, 0 or 1. */
  public int bytes() {
    return bytes;
  }

  public boolean isFloat() {
    return this == F16 || this == BF16 || this == F32 || this == F64;
  }

  /** Returns true for signed and unsigned integers, false for BOOL. */
  public boolean isInteger() {
    return this == I8 || this == U8 || this == I32 || this == I64;
  }

  public boolean isStorageOnly() {
    return compute() != this;
  }

  /** Type of a loaded element inside a kernel. */
  public ScalarType compute() {
    return switch (this) {
      case F16, BF16 -> F32;
      case I8, U8 -> I32;
      case BOOL, I32, I64, F32, F64 -> this;
    };
  }

  /** Lower-case name, as printed in shapes: {@code f32[2,3]}. */
  public String label() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
