package ristretto.kernels.cpu;

import java.util.List;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.Tape;

/**
 * What the code generator compiles: a tape over strips of consecutive elements. Everything else
 * (strides, gathers, narrow storage types, bounds) is brought into this form by the launcher, which
 * packs such operands into scratch strips. Also the cache key.
 *
 * @param tape no Random rows; BOOL is not a memory type: inputs and outputs are I32, I64, F32, F64
 * @param inputs access class by input slot
 * @param stores for tape output k: {@link #STORE}, or the ACCUMULATE input slot whose next value it
 *     is
 * @param folding accumulators that the strip starts and folds; the others are the caller's
 */
record StripSpec(Tape tape, List<Access> inputs, List<Integer> stores, Folding folding) {
  static final int STORE = -1;

  StripSpec {
    inputs = List.copyOf(inputs);
    stores = List.copyOf(stores);
  }

  StripSpec(Tape tape, List<Access> inputs, List<Integer> stores) {
    this(tape, inputs, stores, Folding.NONE);
  }

  /** How an input slot is read; its pointer p is a raw address. */
  enum Access {
    /** Element j is at p + j * size. */
    UNIT,
    /** Every element is the one at p; also how launch scalars and row results arrive. */
    SCALAR,
    /**
     * p addresses three longs (base, step, rowStep): element j of row r is base + r * rowStep + j *
     * step; I64 or I32.
     */
    INDEX,
    /**
     * A running value of {@link #lanes} lanes at p: loaded before the loop, kept in registers,
     * stored after it. Element j of a strip updates lane j % lanes only.
     */
    ACCUMULATE
  }

  /**
   * Logical lanes of accumulators: the same on every machine, so that reductions give the same bits
   * everywhere. 16 when the tape holds an 8-byte type, else 32.
   */
  int lanes() {
    return tape.nodes().stream().anyMatch(n -> n.type().bytes() == 8) ? 16 : 32;
  }

  ScalarType inputType(int slot) {
    return tape.nodes().stream()
        .filter(n -> n instanceof ristretto.kernels.scalar.Node.Input in && in.slot() == slot)
        .map(ristretto.kernels.scalar.Node::type)
        .findFirst()
        .orElseThrow();
  }
}
