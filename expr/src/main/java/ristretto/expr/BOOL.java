package ristretto.expr;

import ristretto.kernels.scalar.ScalarType;

/** True or false, one byte an element. */
public final class BOOL extends DType<BOOL> {
  static final BOOL INSTANCE = new BOOL();

  private BOOL() {
    super(ScalarType.BOOL);
  }
}
