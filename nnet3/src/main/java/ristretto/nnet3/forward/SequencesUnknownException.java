package ristretto.nnet3.forward;

import java.io.Serial;

/** What is computed depends on sequences in another way than by their number as a size. */
public final class SequencesUnknownException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;
}
