package ristretto.expr.type;

import ristretto.kernels.scalar.ScalarType;

/** 32-bit floating point. */
public final class F32 extends DType<F32> {
  /** Single instance. */
  public static final F32 INSTANCE = new F32();

  private F32() {
    super(ScalarType.F32);
  }
}
