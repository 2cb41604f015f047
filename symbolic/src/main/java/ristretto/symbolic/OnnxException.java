package ristretto.symbolic;

import ristretto.kernels.RistrettoException;

/** Something that ONNX cannot say; the message names the operator. */
public final class OnnxException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  /** With a message as {@link RistrettoException} describes it. */
  public OnnxException(String message) {
    super(message);
  }
}
