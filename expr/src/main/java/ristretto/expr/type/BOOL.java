package ristretto.expr.type;

import ristretto.kernels.scalar.ScalarType;

/** Booleans, one byte per element. */
public final class BOOL extends DType<BOOL> implements WholeNumber {
  /** Single instance. */
  public static final BOOL INSTANCE = new BOOL();

  private BOOL() {
    super(ScalarType.BOOL);
  }
}
