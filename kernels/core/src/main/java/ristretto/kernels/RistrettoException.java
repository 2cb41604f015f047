package ristretto.kernels;

import ristretto.kernels.text.Escape;

/**
 * Root of all errors that this engine reports. Messages follow {@code [op] rule; got ...; what to
 * do}. Terminal control characters in file names and file contents are escaped.
 */
public abstract class RistrettoException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates an exception whose message states the broken rule, the arguments and the remedy. */
  protected RistrettoException(String message) {
    super(Escape.lines(message));
  }

  /** Creates an exception with a message and its cause. */
  protected RistrettoException(String message, Throwable cause) {
    super(Escape.lines(message), cause);
  }
}
