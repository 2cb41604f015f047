package ristretto.nnet3;

/**
 * How computations are made of networks, where there is a choice. Results are the same, but for
 * rounding; what differs is memory and time.
 *
 * @param again which values backward computes again, so that they need no memory between forward
 *     and backward
 * @param consolidateUpdates whether derivatives of the parameters of a recurrence are computed for
 *     all its steps at once
 * @param sliceRows whether rows at equal distances are read as such, not by an index vector
 * @param snipRows whether the same holds where some rows before or after them are missing
 * @param block how many of an utterance's times are computed together, before those after them,
 *     which go on from what these left: negative for as many as cost no time, where there are more;
 *     0 for all times at once, and for chunks of which each begins at the first frame
 * @param propagateInPlace whether forward writes values over what it reads for the last time
 * @param backpropInPlace the same of backward
 */
public record Choices(
    Again again,
    boolean consolidateUpdates,
    boolean sliceRows,
    boolean snipRows,
    int block,
    boolean propagateInPlace,
    boolean backpropInPlace) {
  /** Which values are computed again. */
  public enum Again {
    /** None. */
    NOTHING,

    /** Some of those that are element by element, or scaled by a normalization. */
    CHEAP,

    /** More of them, those of recurrences, and some products. */
    PRODUCTS
  }

  /** The same, with values written over others forward and backward. */
  public Choices(
      Again again, boolean consolidateUpdates, boolean sliceRows, boolean snipRows, int block) {
    this(again, consolidateUpdates, sliceRows, snipRows, block, true, true);
  }

  /** A {@link #block} that saves memory where that costs no time. */
  public static final int AUTOMATIC = -1;

  /** The fastest, or almost. */
  public static final Choices DEFAULT = new Choices(Again.CHEAP, true, true, true, AUTOMATIC);

  /** Those that save most memory. */
  public static final Choices SMALL = new Choices(Again.PRODUCTS, true, true, true, AUTOMATIC);
}
