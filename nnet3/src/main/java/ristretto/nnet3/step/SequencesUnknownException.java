package ristretto.nnet3.step;

import java.io.Serial;

/**
 * Thrown while a template is recorded if the computation depends on the number of sequences by more
 * than sizes.
 */
public final class SequencesUnknownException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;
}
