package ristretto.expr.type;

import ristretto.kernels.scalar.ScalarType;

/** 64-bit floating point. */
public final class F64 extends DType<F64> {
  /** Single instance. */
  public static final F64 INSTANCE = new F64();

  private F64() {
    super(ScalarType.F64);
  }
}
