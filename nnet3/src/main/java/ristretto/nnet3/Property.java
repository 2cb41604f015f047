package ristretto.nnet3;

/** Component property; Kaldi's flags, which describe how Kaldi's implementation computes. */
public enum Property {
  /** Computes the output at an index from the input at that index only (but see BatchNorm). */
  SIMPLE,
  /** Has parameters. */
  UPDATABLE,
  /** Allows the output to overwrite the input. */
  PROPAGATE_IN_PLACE,
  /** Adds the output to the destination. */
  PROPAGATE_ADDS,
  /** Reorders or pads input and output rows. */
  REORDERS_INDEXES,
  /** Adds the input derivative to the destination. */
  BACKPROP_ADDS,
  /** Reads the input in the backward pass. */
  BACKPROP_NEEDS_INPUT,
  /** Reads the output in the backward pass. */
  BACKPROP_NEEDS_OUTPUT,
  /** Allows the input derivative to overwrite the output derivative. */
  BACKPROP_IN_PLACE,
  /** Stores statistics of its output. */
  STORES_STATS,
  /** Requires a contiguous input matrix, with a stride equal to the number of columns. */
  INPUT_CONTIGUOUS,
  /** Requires a contiguous output matrix, with a stride equal to the number of columns. */
  OUTPUT_CONTIGUOUS,
  /** Keeps a memo of the forward pass for the backward pass. */
  USES_MEMO,
  /** Draws random numbers. */
  RANDOM
}
