package ristretto.symbolic.train;

import ristretto.kernels.RistrettoException;

/**
 * Thrown if a loss is NaN or infinite; the message names the first operator whose output is not
 * finite.
 */
public final class NotFiniteException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception with a message as {@link RistrettoException} describes it. */
  public NotFiniteException(String message) {
    super(message);
  }
}
