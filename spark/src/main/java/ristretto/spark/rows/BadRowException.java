package ristretto.spark.rows;

/** Thrown for a row whose values are no input of the model. */
public final class BadRowException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception without a stack trace: a frame may have many such rows. */
  public BadRowException(String message) {
    super(message, null, false, false);
  }
}
