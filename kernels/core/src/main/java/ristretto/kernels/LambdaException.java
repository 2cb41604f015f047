package ristretto.kernels;

/** A user lambda holds something that cannot become part of a kernel. */
public final class LambdaException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  /** With a message as {@link RistrettoException} describes it. */
  public LambdaException(String message) {
    super(message);
  }

  /** The same, with what led to it. */
  public LambdaException(String message, Throwable cause) {
    super(message, cause);
  }
}
