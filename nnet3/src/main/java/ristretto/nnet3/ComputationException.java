package ristretto.nnet3;

import ristretto.kernels.RistrettoException;

/** Thrown for an invalid request, or a network that cannot compute the requested rows. */
public final class ComputationException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates an exception with a message of the form {@code [op] rule that must hold; got ...; what
   * to do}.
   */
  public ComputationException(String message) {
    super(message);
  }
}
