package ristretto.nnet3;

/** What a component is like; Kaldi's flags, which stand for how its own code computes. */
public enum Property {
  /** The output at an index depends on the input at that index alone (but see BatchNorm). */
  SIMPLE,
  /** Has parameters. */
  UPDATABLE,
  /** The output may take the input's place. */
  PROPAGATE_IN_PLACE,
  /** The output is added to what was there. */
  PROPAGATE_ADDS,
  /** Wants rows in another order, or padded. */
  REORDERS_INDEXES,
  /** The input derivative is added to what was there. */
  BACKPROP_ADDS,
  /** Backward reads the input. */
  BACKPROP_NEEDS_INPUT,
  /** Backward reads the output. */
  BACKPROP_NEEDS_OUTPUT,
  /** The input derivative may take the output derivative's place. */
  BACKPROP_IN_PLACE,
  /** Keeps statistics of its output. */
  STORES_STATS,
  /** Rows of its input follow each other without gaps. */
  INPUT_CONTIGUOUS,
  /** Rows of its output follow each other without gaps. */
  OUTPUT_CONTIGUOUS,
  /** Forward leaves something for backward. */
  USES_MEMO,
  /** Draws random numbers. */
  RANDOM
}
