package ristretto.kernels;

/** Something was used after its context was closed. */
public final class ClosedException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  /** With a message as {@link RistrettoException} describes it. */
  public ClosedException(String message) {
    super(message);
  }

  /** The same, with what led to it. */
  public ClosedException(String message, Throwable cause) {
    super(message, cause);
  }
}
