package ristretto.symbolic.onnx;

import ristretto.kernels.RistrettoException;

/** Thrown if a computation cannot be expressed in ONNX; the message names the operator. */
public final class OnnxException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception with a message as {@link RistrettoException} describes it. */
  public OnnxException(String message) {
    super(message);
  }
}
