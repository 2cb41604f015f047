package ristretto.expr.linalg;

import ristretto.expr.type.Shape;
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

  /**
   * Exception for a matrix of a batch.
   *
   * @param label description of the operand
   * @param matrix number of the matrix in row-major order
   */
  static LinalgException of(
      String op, Shape batch, String label, int matrix, Routine.Failure failure) {
    var place = new StringBuilder();
    long rest = matrix;
    for (int d = batch.rank() - 1; d >= 0; d--) {
      place.insert(0, rest % batch.at(d) + (place.isEmpty() ? "" : ","));
      rest /= batch.at(d);
    }
    String which = place.isEmpty() ? "" : ", matrix [" + place + "],";
    return new LinalgException(
        "[%s] %s; got %s%s %s; %s."
            .formatted(op, failure.rule(), label, which, failure.found(), failure.remedy()));
  }
}
