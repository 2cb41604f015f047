package ristretto.kernels;

/** No such device, no memory left on it, or it is lost. */
public final class DeviceException extends RistrettoException {
  private static final long serialVersionUID = 1L;

  /** With a message as {@link RistrettoException} describes it. */
  public DeviceException(String message) {
    super(message);
  }

  /** The same, with what led to it. */
  public DeviceException(String message, Throwable cause) {
    super(message, cause);
  }
}
