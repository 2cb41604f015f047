package ristretto.symbolic.train;

import ristretto.kernels.RistrettoException;

/** A loss is NaN or infinite; the message names the first operator that is to blame. */
public final class NotFiniteException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  /** With a message as {@link RistrettoException} describes it. */
  public NotFiniteException(String message) {
    super(message);
  }
}
