package ristretto.kernels.cpu.strip;

import java.util.List;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * Input of the code generator: a tape over strips of consecutive elements. Launches bring every
 * other operand (strided, gathered, narrow, bounded) into this form by packing it into scratch
 * strips.
 *
 * @param tape no Random rows; BOOL is not a memory type: inputs and outputs are I32, I64, F32, F64
 * @param inputs access class by input slot
 * @param stores for tape output k: {@link #STORE}, or the ACCUMULATE input slot of which the output
 *     is the next value
 * @param folding accumulators that the strip initializes and folds; callers handle the others
 */
public record StripSpec(
    Tape tape, List<Access> inputs, List<Integer> stores, AccumulatorFolds folding) {
  public static final int STORE = -1;

  public StripSpec {
    inputs = List.copyOf(inputs);
    stores = List.copyOf(stores);
  }

  public StripSpec(Tape tape, List<Access> inputs, List<Integer> stores) {
    this(tape, inputs, stores, AccumulatorFolds.NONE);
  }

  /** Access class of an input slot; its pointer p is a raw address. */
  public enum Access {
    /** Element j is at p + j * size. */
    UNIT,
    /** p addresses {@link GatheredLines}: element j of row r is at address(r) + j * size. */
    GATHERED,
    /** All elements are the one at p, as for launch scalars and results of rows. */
    SCALAR,
    /**
     * p addresses three longs (base, step, rowStep): element j of row r is base + r * rowStep + j *
     * step; I64 or I32.
     */
    INDEX,
    /**
     * Accumulator of {@link #lanes} lanes at p: loaded before the loop, kept in registers, stored
     * after it. Element j of a strip updates lane j % lanes only.
     */
    ACCUMULATE
  }

  /**
   * Returns the logical lanes of accumulators: one number on every machine, so that reductions give
   * equal bits everywhere. 16 if the tape holds an 8-byte type, else 32; or twice as many.
   */
  public int lanes() {
    int lanes = tape.nodes().stream().anyMatch(n -> n.type().bytes() == 8) ? 16 : 32;
    return folding.doubled() ? 2 * lanes : lanes;
  }

  public ScalarType inputType(int slot) {
    return tape.nodes().stream()
        .filter(n -> n instanceof ristretto.kernels.scalar.Node.Input in && in.slot() == slot)
        .map(ristretto.kernels.scalar.Node::type)
        .findFirst()
        .orElseThrow();
  }
}
