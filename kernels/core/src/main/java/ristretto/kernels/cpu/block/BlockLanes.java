package ristretto.kernels.cpu.block;

import static ristretto.kernels.cpu.block.BlockLaunch.LANES;
import static ristretto.kernels.cpu.memory.RawMemory.ADDRESS;
import static ristretto.kernels.cpu.memory.RawMemory.ALL;
import static ristretto.kernels.cpu.memory.RawMemory.ORDER;

import java.lang.foreign.ValueLayout;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/** Species of vectors, and sums of their lanes. */
final class BlockLanes {
  static final VectorSpecies<Float> FLOAT =
      VectorSpecies.of(float.class, VectorShape.forBitSize(32 * LANES));
  static final VectorSpecies<Integer> INT = FLOAT.withLanes(int.class);
  static final VectorSpecies<Byte> BYTE =
      VectorSpecies.of(byte.class, VectorShape.forBitSize(8 * LANES));

  /**
   * Byte of a block. Numbers of several bytes at any address are read by a method of the JDK that
   * C2 does not always inline; a call in the loop makes it half as fast.
   */
  static final ValueLayout.OfByte CODE = ValueLayout.JAVA_BYTE;

  private static final VectorSpecies<Float> EIGHT = FloatVector.SPECIES_256;
  private static final VectorSpecies<Float> FOUR = FloatVector.SPECIES_128;
  private static final VectorSpecies<Float> TWO = FloatVector.SPECIES_64;
  private static final ValueLayout.OfFloat NUMBER = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private BlockLanes() {}

  /**
   * Adds up the lanes of rows, the upper half to the lower half, and so on: in rounds over all
   * rows, so that no row waits for its own last addition.
   */
  static void total(long lanes, int rows, long to) {
    for (int r = 0; LANES == 16 && r < rows; r++) {
      long at = lanes + 64L * r;
      FloatVector.fromMemorySegment(EIGHT, ALL, at & ADDRESS, ORDER)
          .add(FloatVector.fromMemorySegment(EIGHT, ALL, at + 32 & ADDRESS, ORDER))
          .intoMemorySegment(ALL, lanes + 32L * r & ADDRESS, ORDER);
    }
    for (int r = 0; r < rows; r++) {
      long at = lanes + 32L * r;
      FloatVector.fromMemorySegment(FOUR, ALL, at & ADDRESS, ORDER)
          .add(FloatVector.fromMemorySegment(FOUR, ALL, at + 16 & ADDRESS, ORDER))
          .intoMemorySegment(ALL, lanes + 16L * r & ADDRESS, ORDER);
    }
    for (int r = 0; r < rows; r++) {
      long at = lanes + 16L * r;
      FloatVector.fromMemorySegment(TWO, ALL, at & ADDRESS, ORDER)
          .add(FloatVector.fromMemorySegment(TWO, ALL, at + 8 & ADDRESS, ORDER))
          .intoMemorySegment(ALL, lanes + 8L * r & ADDRESS, ORDER);
    }
    for (int r = 0; r < rows; r++) {
      long at = lanes + 8L * r;
      float sum = ALL.get(NUMBER, at & ADDRESS) + ALL.get(NUMBER, at + 4 & ADDRESS);
      ALL.set(NUMBER, to + 4L * r & ADDRESS, sum);
    }
  }
}
