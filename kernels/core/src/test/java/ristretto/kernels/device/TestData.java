package ristretto.kernels.device;

import java.lang.foreign.MemorySegment;
import java.util.Random;
import ristretto.kernels.scalar.ScalarOps;
import ristretto.kernels.scalar.ScalarType;
import ristretto.kernels.scalar.SpecialValues;

/** Contents of a buffer as heap memory; values are drawn from {@code kind}. */
record TestData(ScalarType type, long elements, Kind kind, long seed) {
  enum Kind {
    /** Whole numbers from -8 to 8: sums and products of them are exact in every order. */
    SMALL,
    /** 1 or -1. */
    UNITS,
    /** NaN, infinities, zeros of both signs, extremes, among random bits. */
    SPECIAL,
    /** From -bound to bound - 1, for indices. */
    INDEX,
    /** All NaN. */
    POISON
  }

  MemorySegment content(int bound) {
    var random = new Random(seed);
    var device = new OracleDevice();
    var buffer = (OracleBuffer) device.allocate(elements * type.bytes());
    for (long k = 0; k < elements; k++) {
      buffer.set(type, k, value(random, bound));
    }
    MemorySegment bytes =
        MemorySegment.ofArray(new long[(int) (buffer.bytes() + 7) / 8]).asSlice(0, buffer.bytes());
    buffer.read(0, bytes);
    return bytes;
  }

  private Object value(Random random, int bound) {
    ScalarType compute = type.compute();
    return switch (kind) {
      case SMALL ->
          ScalarOps.convert(
              compute == ScalarType.BOOL ? random.nextInt(2) : random.nextInt(-8, 9), compute);
      case UNITS -> ScalarOps.convert(random.nextBoolean() ? 1 : -1, compute);
      case INDEX -> ScalarOps.convert(random.nextInt(-bound, bound), compute);
      case POISON -> ScalarOps.convert(Double.NaN, compute);
      case SPECIAL -> {
        var values = SpecialValues.of(compute);
        yield random.nextInt(3) == 0
            ? values.get(random.nextInt(values.size()))
            : ScalarOps.convert(random.nextGaussian() * 100, compute);
      }
    };
  }
}
