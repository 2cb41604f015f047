package ristretto.symbolic.onnx;

/**
 * Thrown for a computation that ONNX cannot express; callers that know the operator turn it into a
 * message.
 */
public final class Unsayable extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception for a construct, such as {@code random numbers}. */
  public Unsayable(String what) {
    super(what, null, false, false);
  }
}
