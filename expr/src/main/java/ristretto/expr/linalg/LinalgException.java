package ristretto.expr.linalg;

import ristretto.kernels.RistrettoException;

/**
 * Thrown when a matrix lacks a property that its values decide: it is singular or not positive
 * definite, or an iteration did not converge. The message names the matrix of a batch.
 */
public final class LinalgException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  LinalgException(String message) {
    super(message);
  }
}
