package ristretto.kernels;

/**
 * Root of all errors this engine reports. Messages follow {@code [op] rule; got ...; what to do}.
 */
public abstract class RistrettoException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** An error that says which rule was broken, what was given and what to do. */
  protected RistrettoException(String message) {
    super(message);
  }

  /** The same, with what led to it. */
  protected RistrettoException(String message, Throwable cause) {
    super(message, cause);
  }
}
