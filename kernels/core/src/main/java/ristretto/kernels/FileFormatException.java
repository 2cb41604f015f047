package ristretto.kernels;

/** Thrown when a tensor file is truncated, malformed or holds another dtype than requested. */
public final class FileFormatException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception with a message of the form that {@link RistrettoException} describes. */
  public FileFormatException(String message) {
    super(message);
  }

  /** Creates an exception with a message and its cause. */
  public FileFormatException(String message, Throwable cause) {
    super(message, cause);
  }
}
