package ristretto.nnet3;

import ristretto.kernels.RistrettoException;

/** A request breaks a rule, or a network cannot compute what it asks for. */
public final class ComputationException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  /** With a message of the form {@code [op] rule that must hold; got ...; what to do}. */
  public ComputationException(String message) {
    super(message);
  }
}
