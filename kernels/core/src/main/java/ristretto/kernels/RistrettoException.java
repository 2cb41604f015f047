package ristretto.kernels;

/**
 * Root of all errors this engine reports. Messages follow {@code [op] rule; got ...; what to do}.
 */
public abstract class RistrettoException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  protected RistrettoException(String message) {
    super(message);
  }

  protected RistrettoException(String message, Throwable cause) {
    super(message, cause);
  }
}
