package ristretto.expr.type;

import ristretto.kernels.scalar.ScalarType;

/** 8-bit signed integers, a storage type: kernels compute in I32. */
public final class I8 extends DType<I8> implements WholeNumber {
  /** Single instance. */
  public static final I8 INSTANCE = new I8();

  private I8() {
    super(ScalarType.I8);
  }
}
