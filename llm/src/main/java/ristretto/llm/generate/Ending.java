package ristretto.llm.generate;

/** Reason for the end of a generation. */
public enum Ending {
  /** The model generated an end token, or the text had a stop text or a whole JSON value. */
  STOP,
  /** The wanted number of tokens, or the most tokens of a sequence, were reached. */
  LENGTH,
  /** The generation was cancelled. */
  CANCELLED,
  /** An error occurred. */
  FAILED
}
