package ristretto.nnet3.cli.options;

import ristretto.kernels.RistrettoException;

/** Thrown if a command has invalid options or arguments. */
public final class UsageException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  public UsageException(String message) {
    super(message);
  }
}
