package ristretto.nnet3.tool;

import ristretto.kernels.RistrettoException;

/** Thrown if a command has invalid options or arguments. */
final class UsageException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  UsageException(String message) {
    super(message);
  }
}
