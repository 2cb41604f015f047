package ristretto.symbolic.onnx.export;

/**
 * Thrown for a computation that ONNX cannot express; callers that know the operator turn it into a
 * message.
 */
public final class UnsupportedExpression extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception for a construct, such as {@code random numbers}. */
  public UnsupportedExpression(String what) {
    super(what, null, false, false);
  }
}
