package ristretto.kernels;

/** Thrown when a user lambda contains something that cannot become part of a kernel. */
public final class LambdaException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception with a message of the form that {@link RistrettoException} describes. */
  public LambdaException(String message) {
    super(message);
  }

  /** Creates an exception with a message and its cause. */
  public LambdaException(String message, Throwable cause) {
    super(message, cause);
  }
}
