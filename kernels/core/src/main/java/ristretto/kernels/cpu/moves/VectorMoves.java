package ristretto.kernels.cpu.moves;

import static jdk.incubator.vector.VectorOperators.B2I;
import static jdk.incubator.vector.VectorOperators.GE;
import static jdk.incubator.vector.VectorOperators.I2B;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.UMIN;
import static jdk.incubator.vector.VectorOperators.ZERO_EXTEND_B2I;
import static ristretto.kernels.cpu.memory.RawMemory.ALL;
import static ristretto.kernels.cpu.memory.RawMemory.ORDER;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * Transposed, strided, reversed, widening and narrowing copies by vectors. Only {@link Move} allows
 * their use, if the module is present and the code is warm: until compiled, it is hundreds of times
 * slower than a loop over elements.
 */
final class VectorMoves {

  private static final VectorSpecies<Integer> INT = IntVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Long> LONG = LongVector.SPECIES_PREFERRED;
  static final int INTS = INT.length();
  static final int LONGS = LONG.length();

  /** Species with as many bytes as a vector has 4-byte elements, at least 8. */
  private static final VectorSpecies<Byte> BYTE =
      VectorSpecies.of(byte.class, VectorShape.forBitSize(Math.max(64, 8 * INTS)));

  private VectorMoves() {}

  /**
   * Transposes a square of 4-byte elements with one vector per row: element {@code (r, c)} goes to
   * {@code (c, r)}. For each power of two d below the lanes, rows at distance d exchange every
   * other run of d elements; each pass over memory makes two such exchanges, with four rows in
   * registers. Between passes, rows are in {@code work}, a dense square: rows far apart would
   * compete for a few cache sets.
   */
  static void transpose4(long from, long fromStep, long to, long toStep, long work) {
    int d = 1;
    for (; 4 * d <= INTS; d *= 4) {
      boolean last = 4 * d == INTS;
      long target = last ? to : work;
      long step = last ? toStep : 4L * INTS;
      var near = exchangeInts(d);
      var far = exchangeInts(2 * d);
      for (int k = 0; k < INTS / 4; k++) {
        int i = k % d + k / d * 4 * d;
        long p = from + i * fromStep;
        var a = IntVector.fromMemorySegment(INT, ALL, p, ORDER);
        var b = IntVector.fromMemorySegment(INT, ALL, p + d * fromStep, ORDER);
        var c = IntVector.fromMemorySegment(INT, ALL, p + 2L * d * fromStep, ORDER);
        var e = IntVector.fromMemorySegment(INT, ALL, p + 3L * d * fromStep, ORDER);
        var ab = near.selectFrom(a, b);
        var ba = near.add(d).selectFrom(a, b);
        var ce = near.selectFrom(c, e);
        var ec = near.add(d).selectFrom(c, e);
        long q = target + i * step;
        far.selectFrom(ab, ce).intoMemorySegment(ALL, q, ORDER);
        far.selectFrom(ba, ec).intoMemorySegment(ALL, q + d * step, ORDER);
        far.add(2 * d).selectFrom(ab, ce).intoMemorySegment(ALL, q + 2L * d * step, ORDER);
        far.add(2 * d).selectFrom(ba, ec).intoMemorySegment(ALL, q + 3L * d * step, ORDER);
      }
      from = target;
      fromStep = step;
    }
    if (d < INTS) {
      var near = exchangeInts(d);
      for (int i = 0; i < d; i++) {
        long p = from + i * fromStep;
        var a = IntVector.fromMemorySegment(INT, ALL, p, ORDER);
        var b = IntVector.fromMemorySegment(INT, ALL, p + d * fromStep, ORDER);
        long q = to + i * toStep;
        near.selectFrom(a, b).intoMemorySegment(ALL, q, ORDER);
        near.add(d).selectFrom(a, b).intoMemorySegment(ALL, q + d * toStep, ORDER);
      }
    }
  }

  /**
   * Returns selection indices into two vectors: element j of the first, or j - d of the second if
   * bit d of j is set.
   */
  private static IntVector exchangeInts(int d) {
    var j = IntVector.zero(INT).addIndex(1);
    var bit = j.and(d).lanewise(LSHR, Integer.numberOfTrailingZeros(d));
    return j.add(bit.mul(INTS - d));
  }

  /**
   * Copies every {@code step}th element of 4 bytes, backwards if {@code step} is negative, to
   * consecutive elements. Reads no element beyond the last one copied.
   *
   * @return number of the {@code n} elements copied; the others are left to a loop
   */
  static int stride4(long from, int step, long to, int n) {
    int s = Math.abs(step);
    // A block of s vectors starts at its first element, or ends there if reversed.
    long start = step > 0 ? from : from - 4L * (s * INTS - 1);
    var at = IntVector.zero(INT).addIndex(1).mul(step).add(step > 0 ? 0 : s * INTS - 1);
    int i = 0;
    switch (s) {
      case 1 -> {
        for (; i + INTS < n; i += INTS) {
          var a = IntVector.fromMemorySegment(INT, ALL, start + 4L * step * i, ORDER);
          at.selectFrom(a, a).intoMemorySegment(ALL, to + 4L * i, ORDER);
        }
      }
      case 2 -> {
        for (; i + INTS < n; i += INTS) {
          long p = start + 4L * step * i;
          var a = IntVector.fromMemorySegment(INT, ALL, p, ORDER);
          var b = IntVector.fromMemorySegment(INT, ALL, p + 4L * INTS, ORDER);
          at.selectFrom(a, b).intoMemorySegment(ALL, to + 4L * i, ORDER);
        }
      }
      default -> {
        // Selection indices count modulo two vectors.
        var far = at.compare(GE, 2 * INTS);
        long last = 4L * INTS * (s - 1);
        for (; i + INTS < n; i += INTS) {
          long p = start + 4L * step * i;
          var a = IntVector.fromMemorySegment(INT, ALL, p, ORDER);
          var b = IntVector.fromMemorySegment(INT, ALL, p + 4L * INTS, ORDER);
          var c = IntVector.fromMemorySegment(INT, ALL, p + 4L * 2 * INTS, ORDER);
          var e = IntVector.fromMemorySegment(INT, ALL, p + last, ORDER);
          at.selectFrom(a, b)
              .blend(at.selectFrom(c, e), far)
              .intoMemorySegment(ALL, to + 4L * i, ORDER);
        }
      }
    }
    return i;
  }

  /**
   * Transposes a square of 8-byte elements with one vector per row: element {@code (r, c)} goes to
   * {@code (c, r)}. For each power of two d below the lanes, rows at distance d exchange every
   * other run of d elements; each pass over memory makes two such exchanges, with four rows in
   * registers. Between passes, rows are in {@code work}, a dense square: rows far apart would
   * compete for a few cache sets.
   */
  static void transpose8(long from, long fromStep, long to, long toStep, long work) {
    int d = 1;
    for (; 4 * d <= LONGS; d *= 4) {
      boolean last = 4 * d == LONGS;
      long target = last ? to : work;
      long step = last ? toStep : 8L * LONGS;
      var near = exchangeLongs(d);
      var far = exchangeLongs(2 * d);
      for (int k = 0; k < LONGS / 4; k++) {
        int i = k % d + k / d * 4 * d;
        long p = from + i * fromStep;
        var a = LongVector.fromMemorySegment(LONG, ALL, p, ORDER);
        var b = LongVector.fromMemorySegment(LONG, ALL, p + d * fromStep, ORDER);
        var c = LongVector.fromMemorySegment(LONG, ALL, p + 2L * d * fromStep, ORDER);
        var e = LongVector.fromMemorySegment(LONG, ALL, p + 3L * d * fromStep, ORDER);
        var ab = near.selectFrom(a, b);
        var ba = near.add(d).selectFrom(a, b);
        var ce = near.selectFrom(c, e);
        var ec = near.add(d).selectFrom(c, e);
        long q = target + i * step;
        far.selectFrom(ab, ce).intoMemorySegment(ALL, q, ORDER);
        far.selectFrom(ba, ec).intoMemorySegment(ALL, q + d * step, ORDER);
        far.add(2L * d).selectFrom(ab, ce).intoMemorySegment(ALL, q + 2L * d * step, ORDER);
        far.add(2L * d).selectFrom(ba, ec).intoMemorySegment(ALL, q + 3L * d * step, ORDER);
      }
      from = target;
      fromStep = step;
    }
    if (d < LONGS) {
      var near = exchangeLongs(d);
      for (int i = 0; i < d; i++) {
        long p = from + i * fromStep;
        var a = LongVector.fromMemorySegment(LONG, ALL, p, ORDER);
        var b = LongVector.fromMemorySegment(LONG, ALL, p + d * fromStep, ORDER);
        long q = to + i * toStep;
        near.selectFrom(a, b).intoMemorySegment(ALL, q, ORDER);
        near.add(d).selectFrom(a, b).intoMemorySegment(ALL, q + d * toStep, ORDER);
      }
    }
  }

  /**
   * Returns selection indices into two vectors: element j of the first, or j - d of the second if
   * bit d of j is set.
   */
  private static LongVector exchangeLongs(int d) {
    var j = LongVector.zero(LONG).addIndex(1);
    var bit = j.and(d).lanewise(LSHR, Integer.numberOfTrailingZeros(d));
    return j.add(bit.mul(LONGS - d));
  }

  /**
   * Copies every {@code step}th element of 8 bytes, backwards if {@code step} is negative, to
   * consecutive elements. Reads no element beyond the last one copied.
   *
   * @return number of the {@code n} elements copied; the others are left to a loop
   */
  static int stride8(long from, int step, long to, int n) {
    int s = Math.abs(step);
    // A block of s vectors starts at its first element, or ends there if reversed.
    long start = step > 0 ? from : from - 8L * (s * LONGS - 1);
    var at = LongVector.zero(LONG).addIndex(1).mul(step).add(step > 0 ? 0 : s * LONGS - 1);
    int i = 0;
    switch (s) {
      case 1 -> {
        for (; i + LONGS < n; i += LONGS) {
          var a = LongVector.fromMemorySegment(LONG, ALL, start + 8L * step * i, ORDER);
          at.selectFrom(a, a).intoMemorySegment(ALL, to + 8L * i, ORDER);
        }
      }
      case 2 -> {
        for (; i + LONGS < n; i += LONGS) {
          long p = start + 8L * step * i;
          var a = LongVector.fromMemorySegment(LONG, ALL, p, ORDER);
          var b = LongVector.fromMemorySegment(LONG, ALL, p + 8L * LONGS, ORDER);
          at.selectFrom(a, b).intoMemorySegment(ALL, to + 8L * i, ORDER);
        }
      }
      default -> {
        // Selection indices count modulo two vectors.
        var far = at.compare(GE, 2L * LONGS);
        long last = 8L * LONGS * (s - 1);
        for (; i + LONGS < n; i += LONGS) {
          long p = start + 8L * step * i;
          var a = LongVector.fromMemorySegment(LONG, ALL, p, ORDER);
          var b = LongVector.fromMemorySegment(LONG, ALL, p + 8L * LONGS, ORDER);
          var c = LongVector.fromMemorySegment(LONG, ALL, p + 8L * 2 * LONGS, ORDER);
          var e = LongVector.fromMemorySegment(LONG, ALL, p + last, ORDER);
          at.selectFrom(a, b)
              .blend(at.selectFrom(c, e), far)
              .intoMemorySegment(ALL, to + 8L * i, ORDER);
        }
      }
    }
    return i;
  }

  /**
   * Widens consecutive unsigned bytes to integers, limited to {@code most}: 1 for truth values.
   *
   * @return number of the {@code n} elements copied; the others are left to a loop
   */
  static int widenUnsigned(long from, int most, long to, int n) {
    int i = 0;
    for (; i + INTS <= n; i += INTS) {
      ByteVector.fromMemorySegment(BYTE, ALL, from + i, ORDER)
          .convertShape(ZERO_EXTEND_B2I, INT, 0)
          .reinterpretAsInts()
          .min(most)
          .intoMemorySegment(ALL, to + 4L * i, ORDER);
    }
    return i;
  }

  /**
   * Widens consecutive signed bytes to integers.
   *
   * @return number of the {@code n} elements copied; the others are left to a loop
   */
  static int widenSigned(long from, long to, int n) {
    int i = 0;
    for (; i + INTS <= n; i += INTS) {
      ByteVector.fromMemorySegment(BYTE, ALL, from + i, ORDER)
          .convertShape(B2I, INT, 0)
          .reinterpretAsInts()
          .intoMemorySegment(ALL, to + 4L * i, ORDER);
    }
    return i;
  }

  /**
   * Narrows consecutive integers to their lowest bytes.
   *
   * @return number of the {@code n} elements copied; the others are left to a loop
   */
  static int narrow(long from, long to, int n) {
    int i = 0;
    for (; i + INTS <= n; i += INTS) {
      IntVector.fromMemorySegment(INT, ALL, from + 4L * i, ORDER)
          .convertShape(I2B, BYTE, 0)
          .reinterpretAsBytes()
          .intoMemorySegment(ALL, to + i, ORDER);
    }
    return i;
  }

  /**
   * Narrows consecutive integers to truth values: byte 1 for those that are not 0, else 0.
   *
   * @return number of the {@code n} elements copied; the others are left to a loop
   */
  static int narrowTruth(long from, long to, int n) {
    int i = 0;
    for (; i + INTS <= n; i += INTS) {
      IntVector.fromMemorySegment(INT, ALL, from + 4L * i, ORDER)
          .lanewise(UMIN, 1)
          .convertShape(I2B, BYTE, 0)
          .reinterpretAsBytes()
          .intoMemorySegment(ALL, to + i, ORDER);
    }
    return i;
  }
}
