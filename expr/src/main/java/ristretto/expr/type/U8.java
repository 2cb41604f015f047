package ristretto.expr.type;

import ristretto.kernels.scalar.ScalarType;

/** 8-bit unsigned integers, a storage type: kernels compute in I32. */
public final class U8 extends DType<U8> implements WholeNumber {
  /** Single instance. */
  public static final U8 INSTANCE = new U8();

  private U8() {
    super(ScalarType.U8);
  }
}
