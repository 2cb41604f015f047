package ristretto.kernels;

/** A tensor file is truncated, malformed or holds another dtype than asked for. */
public final class FileFormatException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  /** With a message as {@link RistrettoException} describes it. */
  public FileFormatException(String message) {
    super(message);
  }

  /** The same, with what led to it. */
  public FileFormatException(String message, Throwable cause) {
    super(message, cause);
  }
}
