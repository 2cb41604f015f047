package ristretto.onnx.call;

import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.onnx.file.ElementType;

/**
 * Value of a graph: an expression, whose static type is erased, and its element type. The numbers
 * of types that Ristretto does not have are those of the ONNX type: 16 bits of an I32 for UINT16.
 *
 * @param origin inputs and weights that the value is computed from
 */
public record Value(Expr<Object> expr, ElementType type, Origin origin) {
  /** Returns a value of the expression's own dtype. */
  public static Value of(Expr<?> expr) {
    return of(expr, ElementType.of(expr.dtype()));
  }

  /** Returns a value of an element type, whose numbers the expression has. */
  @SuppressWarnings("unchecked")
  public static Value of(Expr<?> expr, ElementType type) {
    return new Value((Expr<Object>) expr, type, Origin.NONE);
  }

  /** Returns a value whose numbers are those of an expression, reduced to the element type. */
  public static Value wrapped(Expr<?> expr, ElementType type) {
    return of(wrap(expr, type), type);
  }

  /** Returns the value with an origin. */
  public Value from(Origin other) {
    return new Value(expr, type, other);
  }

  /** Returns the dtype of the expression. */
  public DType<Object> dtype() {
    return expr.dtype();
  }

  /** Returns the shape. */
  public Shape shape() {
    return expr.shape();
  }

  /** Returns the number of elements and axes for messages: {@code float[2,3]}. */
  public String label() {
    return type.name().toLowerCase(java.util.Locale.ROOT) + shape();
  }

  /** Reduces integers to the bits of a type. */
  @SuppressWarnings("unchecked")
  private static Expr<Object> wrap(Expr<?> expr, ElementType type) {
    var e = (Expr<Object>) expr;
    int bits = type.integerBits();
    int held = 8 * e.dtype().bytes();
    if (bits == 0) {
      return e;
    }
    if (bits == held) {
      // Kernels compute 8-bit integers in 32 bits; a cast to 8 bits wraps.
      return bits == 8 ? erased(e.cast(Ops.I32).cast(e.dtype())) : e;
    }
    Expr<Object> wide = held == 8 ? erased(e.cast(Ops.I32)) : e;
    int width = Math.max(held, 32);
    Expr<Object> wrapped =
        type.isUnsigned()
            ? wide.and((1L << bits) - 1)
            : wide.shiftLeft(width - bits).shiftRight(width - bits);
    return held == 8 ? wrapped.cast(e.dtype()) : wrapped;
  }

  @SuppressWarnings("unchecked")
  private static Expr<Object> erased(Expr<?> e) {
    return (Expr<Object>) e;
  }
}
