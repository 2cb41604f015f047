package ristretto.kernels;

/** Thrown when a kernel cannot be compiled or launched on the chosen device. */
public final class KernelException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception with a message of the form that {@link RistrettoException} describes. */
  public KernelException(String message) {
    super(message);
  }

  /** Creates an exception with a message and its cause. */
  public KernelException(String message, Throwable cause) {
    super(message, cause);
  }
}
