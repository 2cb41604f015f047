package ristretto.expr.type;

import ristretto.kernels.scalar.ScalarType;

/** 32-bit signed integers; they wrap. */
public final class I32 extends DType<I32> implements WholeNumber {
  /** Single instance. */
  public static final I32 INSTANCE = new I32();

  private I32() {
    super(ScalarType.I32);
  }
}
