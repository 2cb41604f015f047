package ristretto.expr.type;

import ristretto.kernels.scalar.ScalarType;

/** 32-bit unsigned integers, a storage type: kernels compute in I64 and wrap each result. */
public final class U32 extends DType<U32> implements WholeNumber {
  /** Single instance. */
  public static final U32 INSTANCE = new U32();

  private U32() {
    super(ScalarType.U32);
  }
}
