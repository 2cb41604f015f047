package ristretto.nnet3;

/**
 * How computations are made of networks, where there is a choice. Results are the same, but for
 * rounding; what differs is memory and time.
 *
 * @param computeAgain whether backward computes values again that cost little, so that they need no
 *     memory between forward and backward
 * @param consolidateUpdates whether derivatives of the parameters of a recurrence are computed for
 *     all its steps at once
 * @param sliceRows whether rows at equal distances are read as such, not by an index vector
 * @param snipRows whether the same holds where some rows before or after them are missing
 * @param block how many of an utterance's times are computed together, before those after them,
 *     which go on from what these left: negative for as many as cost no time, where there are more;
 *     0 for all times at once, and for chunks of which each begins at the first frame
 */
public record Choices(
    boolean computeAgain,
    boolean consolidateUpdates,
    boolean sliceRows,
    boolean snipRows,
    int block) {
  /** A {@link #block} that saves memory where that costs no time. */
  public static final int AUTOMATIC = -1;

  /** The fastest. */
  public static final Choices DEFAULT = new Choices(false, true, true, true, AUTOMATIC);

  /** The fastest of those that save memory. */
  public static final Choices SMALL = new Choices(true, true, true, true, AUTOMATIC);
}
