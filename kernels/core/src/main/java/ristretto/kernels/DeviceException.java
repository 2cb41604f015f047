package ristretto.kernels;

/** Thrown when a device does not exist, has no memory left or is lost. */
public final class DeviceException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception with a message of the form that {@link RistrettoException} describes. */
  public DeviceException(String message) {
    super(message);
  }

  /** Creates an exception with a message and its cause. */
  public DeviceException(String message, Throwable cause) {
    super(message, cause);
  }
}
