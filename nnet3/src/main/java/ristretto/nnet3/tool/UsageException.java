package ristretto.nnet3.tool;

import ristretto.kernels.RistrettoException;

/** A command was called in a wrong way. */
final class UsageException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  UsageException(String message) {
    super(message);
  }
}
