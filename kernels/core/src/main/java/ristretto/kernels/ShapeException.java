package ristretto.kernels;

/**
 * Thrown when shapes, axes, indices or dtypes do not fit the operation: a mistake of the caller.
 */
public final class ShapeException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception with a message of the form that {@link RistrettoException} describes. */
  public ShapeException(String message) {
    super(message);
  }

  /** Creates an exception with a message and its cause. */
  public ShapeException(String message, Throwable cause) {
    super(message, cause);
  }
}
