package ristretto.expr.type;

import ristretto.kernels.scalar.ScalarType;

/** 16-bit signed integers, a storage type: kernels compute in I32 and wrap each result. */
public final class I16 extends DType<I16> implements WholeNumber {
  /** Single instance. */
  public static final I16 INSTANCE = new I16();

  private I16() {
    super(ScalarType.I16);
  }
}
