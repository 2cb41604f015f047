package ristretto.kernels;

/** Shapes, axes, indices or dtypes do not fit the operation: the caller's mistake. */
public final class ShapeException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  /** With a message as {@link RistrettoException} describes it. */
  public ShapeException(String message) {
    super(message);
  }

  /** The same, with what led to it. */
  public ShapeException(String message, Throwable cause) {
    super(message, cause);
  }
}
