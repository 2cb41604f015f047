package ristretto.kernels;

import ristretto.kernels.debug.Escape;

/**
 * Root of all errors this engine reports. Messages follow {@code [op] rule; got ...; what to do}.
 * What a terminal would obey, of names of files or their content, is escaped.
 */
public abstract class RistrettoException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** An error that says which rule was broken, what was given and what to do. */
  protected RistrettoException(String message) {
    super(Escape.lines(message));
  }

  /** The same, with what led to it. */
  protected RistrettoException(String message, Throwable cause) {
    super(Escape.lines(message), cause);
  }
}
