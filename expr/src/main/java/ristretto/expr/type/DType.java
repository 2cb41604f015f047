package ristretto.expr.type;

import ristretto.kernels.scalar.ScalarType;

/**
 * Element type of a tensor or expression, and its static type parameter, as in {@code Tensor<F32>}.
 * {@link ristretto.expr.Ops} has the constants: {@code F32}, {@code F64}, {@code I32}, {@code I64},
 * {@code BOOL}, and the storage types {@code F16}, {@code BF16}, {@code I8}, {@code U8}.
 *
 * <p>Kernels widen storage types when reading and narrow them when writing: inside a fused
 * expression F16 and BF16 are F32, I8 and U8 are I32, without intermediate rounding, except that
 * {@code cast} rounds.
 */
public abstract sealed class DType<T> permits F32, F64, I32, I64, BOOL, F16, BF16, I8, U8 {
  private final ScalarType scalar;

  DType(ScalarType scalar) {
    this.scalar = scalar;
  }

  /** Type of the elements in memory. */
  public ScalarType scalar() {
    return scalar;
  }

  /** Type of the elements inside a kernel. */
  public ScalarType compute() {
    return scalar.compute();
  }

  /** Size of one element in memory, in bytes. */
  public int bytes() {
    return scalar.bytes();
  }

  /** True for F32, F64, F16 and BF16. */
  public boolean isFloat() {
    return scalar.isFloat();
  }

  /** True for I32, I64, I8 and U8; not for BOOL. */
  public boolean isInteger() {
    return scalar.isInteger();
  }

  /** Least number of an integer dtype or BOOL. */
  public long least() {
    return switch (scalar) {
      case I8 -> Byte.MIN_VALUE;
      case I32 -> Integer.MIN_VALUE;
      case I64 -> Long.MIN_VALUE;
      case U8, BOOL -> 0;
      case F16, BF16, F32, F64 -> throw new AssertionError(this);
    };
  }

  /** Largest number of an integer dtype or BOOL. */
  public long most() {
    return switch (scalar) {
      case I8 -> Byte.MAX_VALUE;
      case U8 -> 255;
      case I32 -> Integer.MAX_VALUE;
      case I64 -> Long.MAX_VALUE;
      case BOOL -> 1;
      case F16, BF16, F32, F64 -> throw new AssertionError(this);
    };
  }

  /** Returns true if the dtype is floating point or its range contains the number. */
  public boolean holds(long value) {
    return isFloat() || least() <= value && value <= most();
  }

  /** Returns the dtype with elements of a type. */
  public static DType<?> of(ScalarType type) {
    return switch (type) {
      case F32 -> F32.INSTANCE;
      case F64 -> F64.INSTANCE;
      case I32 -> I32.INSTANCE;
      case I64 -> I64.INSTANCE;
      case BOOL -> BOOL.INSTANCE;
      case F16 -> F16.INSTANCE;
      case BF16 -> BF16.INSTANCE;
      case I8 -> I8.INSTANCE;
      case U8 -> U8.INSTANCE;
    };
  }

  /** Lower-case name: {@code f32}. */
  @Override
  public String toString() {
    return scalar.label();
  }
}
