package ristretto.kernels;

/// Base of every exception that Ristretto throws.
public class RistrettoException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// @param message what rule was broken, what was given instead, and what to do
  public RistrettoException(String message) {
    super(message);
  }

  /// @param message what rule was broken, what was given instead, and what to do
  /// @param cause what led to it
  public RistrettoException(String message, Throwable cause) {
    super(message, cause);
  }
}
