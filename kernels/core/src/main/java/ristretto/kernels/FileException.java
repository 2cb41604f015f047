package ristretto.kernels;

/** A file is not there, or cannot be read or written. */
public final class FileException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  /** With a message as {@link RistrettoException} describes it, and what led to it. */
  public FileException(String message, Throwable cause) {
    super(message, cause);
  }
}
