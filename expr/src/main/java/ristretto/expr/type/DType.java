package ristretto.expr.type;

import ristretto.kernels.scalar.ScalarType;

/**
 * Element type of a tensor or expression, and its static type parameter, as in {@code Tensor<F32>}.
 * {@link ristretto.expr.Ops} has the constants: {@code F32}, {@code F64}, {@code I32}, {@code I64},
 * {@code BOOL}, and the storage types {@code F16}, {@code BF16}, {@code I8}, {@code U8}, {@code
 * I16}, {@code U16}, {@code U32}, {@code U64}.
 *
 * <p>Kernels widen storage types when reading and narrow them when writing: inside a fused
 * expression F16 and BF16 are F32, I8 and U8 are I32, without intermediate rounding, except that
 * {@code cast} rounds. I16 and U16 are I32, U32 and U64 are I64 there, and each operation wraps its
 * result to the range of the dtype, as NumPy does.
 */
public abstract sealed class DType<T>
    permits F32, F64, I32, I64, BOOL, F16, BF16, I8, U8, I16, U16, U32, U64 {
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

  /** True for signed and unsigned integers; not for BOOL. */
  public boolean isInteger() {
    return scalar.isInteger();
  }

  /** True for U8, U16, U32 and U64. */
  public boolean isUnsigned() {
    return scalar.isInteger() && least() == 0;
  }

  /** Least number of an integer dtype or BOOL. */
  public long least() {
    return switch (scalar) {
      case I8 -> Byte.MIN_VALUE;
      case I32 -> Integer.MIN_VALUE;
      case I64 -> Long.MIN_VALUE;
      case I16 -> Short.MIN_VALUE;
      case U8, U16, U32, U64, BOOL -> 0;
      case F16, BF16, F32, F64 -> throw new AssertionError(this);
    };
  }

  /** Largest number of an integer dtype or BOOL; for U64 its bits, which are those of -1. */
  public long most() {
    return switch (scalar) {
      case I8 -> Byte.MAX_VALUE;
      case U8 -> 255;
      case I16 -> Short.MAX_VALUE;
      case U16 -> 65_535;
      case U32 -> 0xFFFF_FFFFL;
      case U64 -> -1;
      case I32 -> Integer.MAX_VALUE;
      case I64 -> Long.MAX_VALUE;
      case BOOL -> 1;
      case F16, BF16, F32, F64 -> throw new AssertionError(this);
    };
  }

  /** Returns true if the dtype is floating point or its range contains the number. */
  public boolean holds(long value) {
    return isFloat() || least() <= value && (scalar == ScalarType.U64 || value <= most());
  }

  /**
   * Returns the dtype that NumPy 2 computes in for operands of two dtypes: the smallest that holds
   * the values of both, except that F64 stands for integers that no dtype holds. BF16, which NumPy
   * does not have, follows the rules of F16; both together give F32.
   */
  public static DType<?> promote(DType<?> a, DType<?> b) {
    if (a == (Object) b || b.scalar == ScalarType.BOOL) {
      return a;
    }
    if (a.scalar == ScalarType.BOOL) {
      return b;
    }
    if (a.isFloat() != b.isFloat()) {
      DType<?> real = a.isFloat() ? a : b;
      int whole = a.isFloat() ? b.bytes() : a.bytes();
      return whole == 1 ? real : promote(real, whole == 2 ? F32.INSTANCE : F64.INSTANCE);
    }
    if (a.bytes() == b.bytes() && a.isFloat()) {
      return F32.INSTANCE;
    }
    if (a.isFloat() || a.isUnsigned() == b.isUnsigned()) {
      return a.bytes() > b.bytes() ? a : b;
    }
    int signed = a.isUnsigned() ? b.bytes() : a.bytes();
    int unsigned = a.isUnsigned() ? a.bytes() : b.bytes();
    return switch (Math.max(signed, 2 * unsigned)) {
      case 2 -> I16.INSTANCE;
      case 4 -> I32.INSTANCE;
      case 8 -> I64.INSTANCE;
      default -> F64.INSTANCE;
    };
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
      case I16 -> I16.INSTANCE;
      case U16 -> U16.INSTANCE;
      case U32 -> U32.INSTANCE;
      case U64 -> U64.INSTANCE;
    };
  }

  /** Lower-case name: {@code f32}. */
  @Override
  public String toString() {
    return scalar.label();
  }
}
