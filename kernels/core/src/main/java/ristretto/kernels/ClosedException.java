package ristretto.kernels;

/** Something was used after its context was closed. */
public final class ClosedException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  public ClosedException(String message) {
    super(message);
  }

  public ClosedException(String message, Throwable cause) {
    super(message, cause);
  }
}
