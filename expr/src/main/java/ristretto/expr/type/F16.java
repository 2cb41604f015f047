package ristretto.expr.type;

import ristretto.kernels.scalar.ScalarType;

/** IEEE half precision, a storage type: kernels compute in F32. */
public final class F16 extends DType<F16> {
  /** Single instance. */
  public static final F16 INSTANCE = new F16();

  private F16() {
    super(ScalarType.F16);
  }
}
