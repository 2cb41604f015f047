package ristretto.expr.type;

import ristretto.kernels.scalar.ScalarType;

/** 64-bit signed integers; they wrap. */
public final class I64 extends DType<I64> implements WholeNumber {
  /** Single instance. */
  public static final I64 INSTANCE = new I64();

  private I64() {
    super(ScalarType.I64);
  }
}
