package ristretto.kernels;

/** Thrown when an object is used after its context was closed. */
public final class ClosedException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception with a message of the form that {@link RistrettoException} describes. */
  public ClosedException(String message) {
    super(message);
  }

  /** Creates an exception with a message and its cause. */
  public ClosedException(String message, Throwable cause) {
    super(message, cause);
  }
}
