package ristretto.expr.type;

import ristretto.kernels.scalar.ScalarType;

/** 16-bit unsigned integers, a storage type: kernels compute in I32 and wrap each result. */
public final class U16 extends DType<U16> implements WholeNumber {
  /** Single instance. */
  public static final U16 INSTANCE = new U16();

  private U16() {
    super(ScalarType.U16);
  }
}
