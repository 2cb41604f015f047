package ristretto.expr.type;

import ristretto.kernels.scalar.ScalarType;

/**
 * 64-bit unsigned integers, a storage type: kernels compute in I64, with unsigned comparison,
 * division and conversion.
 */
public final class U64 extends DType<U64> implements WholeNumber {
  /** Single instance. */
  public static final U64 INSTANCE = new U64();

  private U64() {
    super(ScalarType.U64);
  }
}
