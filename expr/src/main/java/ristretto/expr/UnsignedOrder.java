package ristretto.expr;

import ristretto.expr.type.DType;
import ristretto.expr.type.I64;
import ristretto.expr.type.U64;

/**
 * Order of U64, whose elements are I64 of equal bits inside kernels: with the sign bit flipped, the
 * order of I64 is the unsigned order.
 */
final class UnsignedOrder {
  private UnsignedOrder() {}

  static boolean isNeeded(Expr<?> a) {
    return a.dtype() == (DType<?>) U64.INSTANCE;
  }

  /** Numbers in the order of the U64 elements. */
  static Expr<I64> of(Expr<?> a) {
    return a.cast(I64.INSTANCE).xor(Long.MIN_VALUE);
  }

  /** Elements of the dtype of {@code like} from ordered numbers. */
  static <T> Expr<T> restored(Expr<T> like, Expr<I64> ordered) {
    return ordered.xor(Long.MIN_VALUE).cast(like.dtype());
  }
}
