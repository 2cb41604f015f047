package ristretto.kernels;

/** Thrown when a file is missing, or cannot be read or written. */
public final class FileException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates an exception with a message of the form that {@link RistrettoException} describes, and
   * its cause.
   */
  public FileException(String message, Throwable cause) {
    super(message, cause);
  }
}
