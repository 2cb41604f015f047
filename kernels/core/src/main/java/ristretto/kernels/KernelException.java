package ristretto.kernels;

/** A kernel could not be compiled or launched on the chosen device. */
public final class KernelException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  /** With a message as {@link RistrettoException} describes it. */
  public KernelException(String message) {
    super(message);
  }

  /** The same, with what led to it. */
  public KernelException(String message, Throwable cause) {
    super(message, cause);
  }
}
