package ristretto.expr;

import ristretto.kernels.scalar.ScalarType;

/** Booleans, one byte per element. */
public final class BOOL extends DType<BOOL> {
  static final BOOL INSTANCE = new BOOL();

  private BOOL() {
    super(ScalarType.BOOL);
  }
}
