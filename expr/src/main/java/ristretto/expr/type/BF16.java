package ristretto.expr.type;

import ristretto.kernels.scalar.ScalarType;

/** bfloat16, a storage type: kernels compute in F32. */
public final class BF16 extends DType<BF16> {
  /** Single instance. */
  public static final BF16 INSTANCE = new BF16();

  private BF16() {
    super(ScalarType.BF16);
  }
}
