package ristretto.symbolic.onnx;

/** What ONNX cannot say; whoever knows the operator makes a message of it. */
public final class Unsayable extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** With what cannot be said, as {@code random numbers}. */
  public Unsayable(String what) {
    super(what, null, false, false);
  }
}
