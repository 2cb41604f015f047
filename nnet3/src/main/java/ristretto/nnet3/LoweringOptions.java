package ristretto.nnet3;

import java.io.Serializable;

/**
 * Options of the conversion of networks to computations. They change memory and time; results are
 * equal up to rounding.
 *
 * @param rematerialization values that the backward pass recomputes instead of keeping them in
 *     memory
 * @param consolidateUpdates true if the parameter gradient of a recurrence is computed once for all
 *     its time steps
 * @param sliceRows true if rows at a constant stride are read as a strided slice instead of through
 *     an index vector
 * @param snipRows true if strided slices may also have missing rows at the beginning or the end
 * @param block time steps of the output that are computed together in a forward-only computation;
 *     each block continues from values kept by the blocks before it. Negative for a size chosen
 *     such that blocks cost no time; 0 for all time steps at once, and for online chunks that
 *     recompute from the first frame
 * @param propagateInPlace true if the forward pass may write a value over an input that is read for
 *     the last time
 * @param backpropInPlace true if the backward pass may write a derivative over an operand that is
 *     read for the last time
 */
public record LoweringOptions(
    Rematerialization rematerialization,
    boolean consolidateUpdates,
    boolean sliceRows,
    boolean snipRows,
    int block,
    boolean propagateInPlace,
    boolean backpropInPlace)
    implements Serializable {
  /** Creates options with in-place computation in the forward and the backward pass. */
  public LoweringOptions(
      Rematerialization rematerialization,
      boolean consolidateUpdates,
      boolean sliceRows,
      boolean snipRows,
      int block) {
    this(rematerialization, consolidateUpdates, sliceRows, snipRows, block, true, true);
  }

  /** Value of {@link #block} that saves memory where this costs no time. */
  public static final int AUTOMATIC = -1;

  /** Default options: close to the fastest. */
  public static final LoweringOptions DEFAULT =
      new LoweringOptions(Rematerialization.CHEAP, true, true, true, AUTOMATIC);

  /** Options with the smallest memory use. */
  public static final LoweringOptions SMALL =
      new LoweringOptions(Rematerialization.PRODUCTS, true, true, true, AUTOMATIC);
}
