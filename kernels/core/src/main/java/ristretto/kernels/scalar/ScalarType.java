package ristretto.kernels.scalar;

/**
 * Element types. {@code F16}, {@code BF16}, integers below 32 bits and unsigned integers exist in
 * memory only: a load widens them to their {@link #compute()} type and a store narrows the value,
 * so they never appear in a tape. {@code U64} has the bits of its compute type; operations that
 * depend on the sign are up to the author of a tape.
 */
public enum ScalarType {
  BOOL(1),
  I8(1),
  U8(1),
  I16(2),
  U16(2),
  I32(4),
  U32(4),
  I64(8),
  U64(8),
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
    return this != BOOL && !isFloat();
  }

  public boolean isStorageOnly() {
    return compute() != this;
  }

  /** Type of a loaded element inside a kernel. */
  public ScalarType compute() {
    return switch (this) {
      case F16, BF16 -> F32;
      case I8, U8, I16, U16 -> I32;
      case U32, U64 -> I64;
      case BOOL, I32, I64, F32, F64 -> this;
    };
  }

  /** Lower-case name, as printed in shapes: {@code f32[2,3]}. */
  public String label() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
