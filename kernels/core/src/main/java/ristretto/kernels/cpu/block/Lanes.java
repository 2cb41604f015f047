package ristretto.kernels.cpu.block;

import static jdk.incubator.vector.VectorOperators.B2F;
import static jdk.incubator.vector.VectorOperators.I2F;
import static jdk.incubator.vector.VectorOperators.ZERO_EXTEND_B2I;
import static ristretto.kernels.cpu.block.BlockLaunch.LANES;
import static ristretto.kernels.cpu.memory.RawMemory.ADDRESS;
import static ristretto.kernels.cpu.memory.RawMemory.ALL;
import static ristretto.kernels.cpu.memory.RawMemory.ORDER;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;
import ristretto.kernels.cpu.memory.RawMemory;

/** Vectors in memory, and their sums. */
final class Lanes {
  static final VectorSpecies<Float> FLOAT =
      VectorSpecies.of(float.class, VectorShape.forBitSize(32 * LANES));
  static final VectorSpecies<Byte> BYTE =
      VectorSpecies.of(byte.class, VectorShape.forBitSize(8 * LANES));
  private static final VectorSpecies<Integer> INT = FLOAT.withLanes(int.class);
  private static final VectorSpecies<Float> EIGHT = FloatVector.SPECIES_256;
  private static final VectorSpecies<Float> FOUR = FloatVector.SPECIES_128;
  private static final VectorSpecies<Float> TWO = FloatVector.SPECIES_64;

  private Lanes() {}

  static FloatVector zero() {
    return FloatVector.zero(FLOAT);
  }

  static FloatVector all(float value) {
    return FloatVector.broadcast(FLOAT, value);
  }

  static FloatVector load(long at) {
    return FloatVector.fromMemorySegment(FLOAT, ALL, at & ADDRESS, ORDER);
  }

  static void store(FloatVector values, long to) {
    values.intoMemorySegment(ALL, to & ADDRESS, ORDER);
  }

  /** Signed bytes as numbers. */
  static FloatVector bytes(long at) {
    return (FloatVector)
        ByteVector.fromMemorySegment(BYTE, ALL, at & ADDRESS, ORDER).convertShape(B2F, FLOAT, 0);
  }

  /** Unsigned bytes. */
  static IntVector codes(long at) {
    return (IntVector)
        ByteVector.fromMemorySegment(BYTE, ALL, at & ADDRESS, ORDER)
            .convertShape(ZERO_EXTEND_B2I, INT, 0);
  }

  static FloatVector floats(IntVector codes) {
    return (FloatVector) codes.convert(I2F, 0);
  }

  /** Number of 16 bits. */
  static float half(long at) {
    return Float.float16ToFloat(RawMemory.getShort(at & ADDRESS));
  }

  /**
   * Adds up the lanes of rows, the upper half to the lower half, and so on: in rounds over all
   * rows, so that no row waits for its own last addition.
   */
  static void total(long lanes, int rows, long to) {
    if (LANES == 16) {
      for (int r = 0; r < rows; r++) {
        halve(lanes + 64L * r, EIGHT, lanes + 32L * r);
      }
    }
    for (int r = 0; r < rows; r++) {
      halve(lanes + 32L * r, FOUR, lanes + 16L * r);
    }
    for (int r = 0; r < rows; r++) {
      halve(lanes + 16L * r, TWO, lanes + 8L * r);
    }
    for (int r = 0; r < rows; r++) {
      long at = lanes + 8L * r;
      RawMemory.putFloat(to + 4L * r, RawMemory.getFloat(at) + RawMemory.getFloat(at + 4));
    }
  }

  private static void halve(long from, VectorSpecies<Float> half, long to) {
    FloatVector lower = FloatVector.fromMemorySegment(half, ALL, from & ADDRESS, ORDER);
    long upper = from + 4L * half.length();
    lower
        .add(FloatVector.fromMemorySegment(half, ALL, upper & ADDRESS, ORDER))
        .intoMemorySegment(ALL, to & ADDRESS, ORDER);
  }
}
