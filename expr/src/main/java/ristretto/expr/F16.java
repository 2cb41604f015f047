package ristretto.expr;

import ristretto.kernels.scalar.ScalarType;

/** IEEE half precision in memory; computed with as F32. */
public final class F16 extends DType<F16> {
  static final F16 INSTANCE = new F16();

  private F16() {
    super(ScalarType.F16);
  }
}
