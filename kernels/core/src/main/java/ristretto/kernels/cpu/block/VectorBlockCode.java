package ristretto.kernels.cpu.block;

import static jdk.incubator.vector.VectorOperators.B2F;
import static jdk.incubator.vector.VectorOperators.I2F;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
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
import ristretto.kernels.block.BlockFormat;
import ristretto.kernels.cpu.memory.RawMemory;

/**
 * Vector loops. Rows are read one after the other: with several rows at a time, processors prefetch
 * less, which takes more than twice as long.
 */
final class VectorBlockCode implements BlockCode {
  /** Bits of the narrowest vectors that bytes are widened to. */
  static final int LEAST_BITS = 256;

  private static final VectorSpecies<Float> FLOAT =
      VectorSpecies.of(float.class, VectorShape.forBitSize(32 * LANES));
  private static final VectorSpecies<Integer> INT = FLOAT.withLanes(int.class);
  private static final VectorSpecies<Byte> BYTE =
      VectorSpecies.of(byte.class, VectorShape.forBitSize(8 * LANES));

  private final BlockFormat format;
  private final ScalarBlockCode scalar;

  VectorBlockCode(BlockFormat format) {
    this.format = format;
    this.scalar = new ScalarBlockCode(format);
  }

  @Override
  public void multiply(long blocks, long step, int rows, long x, long k, long lanes, long work) {
    for (int r = 0; r < rows; r++) {
      long row = blocks + r * step;
      long to = lanes + 4L * LANES * r;
      // Each method stores its sum: a vector that several methods return would be an object.
      switch (format) {
        case Q8_0 -> eight(row, x, k, to);
        case Q4_0 -> {
          if (LANES == 16) {
            four16(row, x, k, to);
          } else {
            four8(row, x, k, to);
          }
        }
        case Q4_K, Q6_K -> blocks(row, x, k, to, work);
        case I8 -> bytes(row, x, k, to);
      }
    }
  }

  private static FloatVector floats(long at) {
    return FloatVector.fromMemorySegment(FLOAT, ALL, at & ADDRESS, ORDER);
  }

  private static FloatVector widened(long at) {
    return (FloatVector)
        ByteVector.fromMemorySegment(BYTE, ALL, at & ADDRESS, ORDER).convertShape(B2F, FLOAT, 0);
  }

  private static float half(long at) {
    return Float.float16ToFloat(RawMemory.getShort(at & ADDRESS));
  }

  private static void eight(long row, long x, long k, long to) {
    FloatVector sum = FloatVector.zero(FLOAT);
    for (long block = 0; block < k; block += 32, row += 34, x += 128) {
      FloatVector part = widened(row + 2).mul(floats(x));
      for (int j = LANES; j < 32; j += LANES) {
        part = widened(row + 2 + j).fma(floats(x + 4L * j), part);
      }
      sum = part.fma(FloatVector.broadcast(FLOAT, half(row)), sum);
    }
    store(sum, to);
  }

  private static IntVector codes(long at) {
    return (IntVector)
        ByteVector.fromMemorySegment(BYTE, ALL, at & ADDRESS, ORDER)
            .convertShape(ZERO_EXTEND_B2I, INT, 0);
  }

  private static FloatVector low(IntVector two) {
    return (FloatVector) two.and(15).sub(8).convert(I2F, 0);
  }

  private static FloatVector high(IntVector two) {
    return (FloatVector) two.lanewise(LSHR, 4).sub(8).convert(I2F, 0);
  }

  private static void four16(long row, long x, long k, long to) {
    FloatVector sum = FloatVector.zero(FLOAT);
    for (long block = 0; block < k; block += 32, row += 18, x += 128) {
      IntVector two = codes(row + 2);
      FloatVector part = high(two).fma(floats(x + 64), low(two).mul(floats(x)));
      sum = part.fma(FloatVector.broadcast(FLOAT, half(row)), sum);
    }
    store(sum, to);
  }

  private static void four8(long row, long x, long k, long to) {
    FloatVector sum = FloatVector.zero(FLOAT);
    for (long block = 0; block < k; block += 32, row += 18, x += 128) {
      IntVector first = codes(row + 2);
      IntVector second = codes(row + 10);
      FloatVector part = low(second).fma(floats(x + 32), low(first).mul(floats(x)));
      part = high(second).fma(floats(x + 96), high(first).fma(floats(x + 64), part));
      sum = part.fma(FloatVector.broadcast(FLOAT, half(row)), sum);
    }
    store(sum, to);
  }

  private static void bytes(long row, long x, long k, long to) {
    FloatVector sum = FloatVector.zero(FLOAT);
    FloatVector d = FloatVector.broadcast(FLOAT, RawMemory.getFloat(row));
    long j = 0;
    for (; j + LANES <= k; j += LANES) {
      sum = widened(row + 4 + j).mul(d).fma(floats(x + 4 * j), sum);
    }
    if (j < k) {
      var rest = FLOAT.indexInRange(j, k);
      var codes =
          ByteVector.fromMemorySegment(BYTE, ALL, row + 4 + j, ORDER, BYTE.indexInRange(j, k));
      var values = (FloatVector) codes.convertShape(B2F, FLOAT, 0);
      var more = FloatVector.fromMemorySegment(FLOAT, ALL, x + 4 * j, ORDER, rest);
      sum = sum.blend(values.mul(d).fma(more, sum), rest);
    }
    store(sum, to);
  }

  /** Multiplies a row of K blocks, block by block. */
  private void blocks(long row, long x, long k, long to, long work) {
    store(FloatVector.zero(FLOAT), to);
    for (long block = 0; block < k; block += 256, row += format.bytes(), x += 1024) {
      if (format == BlockFormat.Q4_K) {
        decodeFourK(row, work);
      } else {
        decodeSixK(row, work);
      }
      addProduct(work, x, to);
    }
  }

  private static void addProduct(long w, long x, long to) {
    FloatVector sum = floats(to);
    for (int j = 0; j < 256; j += LANES) {
      sum = floats(w + 4L * j).fma(floats(x + 4L * j), sum);
    }
    store(sum, to);
  }

  private static FloatVector floats(IntVector codes) {
    return (FloatVector) codes.convert(I2F, 0);
  }

  @Override
  public void decode(long blocks, long from, long count, long to) {
    switch (format) {
      case Q8_0 -> {
        long row = blocks + from / 32 * 34;
        for (long block = 0; block < count; block += 32, row += 34, to += 128) {
          FloatVector d = FloatVector.broadcast(FLOAT, half(row));
          for (int j = 0; j < 32; j += LANES) {
            store(widened(row + 2 + j).mul(d), to + 4L * j);
          }
        }
      }
      case Q4_0 -> {
        long row = blocks + from / 32 * 18;
        for (long block = 0; block < count; block += 32, row += 18, to += 128) {
          FloatVector d = FloatVector.broadcast(FLOAT, half(row));
          for (int j = 0; j < 16; j += LANES) {
            IntVector two = codes(row + 2 + j);
            store(low(two).mul(d), to + 4L * j);
            store(high(two).mul(d), to + 64 + 4L * j);
          }
        }
      }
      case Q4_K -> {
        long row = blocks + from / 256 * 144;
        for (long block = 0; block < count; block += 256, row += 144, to += 1024) {
          decodeFourK(row, to);
        }
      }
      case Q6_K -> {
        long row = blocks + from / 256 * 210;
        for (long block = 0; block < count; block += 256, row += 210, to += 1024) {
          decodeSixK(row, to);
        }
      }
      case I8 -> {
        FloatVector d = FloatVector.broadcast(FLOAT, RawMemory.getFloat(blocks));
        long j = 0;
        for (; j + LANES <= count; j += LANES) {
          store(widened(blocks + 4 + from + j).mul(d), to + 4 * j);
        }
        if (j < count) {
          scalar.decode(blocks, from + j, count - j, to + 4 * j);
        }
      }
    }
  }

  // The code of each block is short: C2 ceases to inline operations of vectors in long code.

  private static void decodeFourK(long row, long to) {
    float d = half(row);
    float e = half(row + 2);
    long low = RawMemory.getLong(row + 4 & ADDRESS);
    int high = RawMemory.getInt(row + 12 & ADDRESS);
    for (int part = 0; part < 8; part++, to += 128) {
      int at = 8 * (part & 3);
      int upper = (int) (low >> at + 6 & 3) << 4;
      int lower = (int) (low >> at + 38 & 3) << 4;
      int s = part < 4 ? (int) (low >> at) & 63 : high >> at & 15 | upper;
      int m = part < 4 ? (int) (low >> at + 32) & 63 : high >> at + 4 & 15 | lower;
      fourK(row + 16 + 32L * (part >> 1), 4 * (part & 1), d * s, e * m, to);
    }
  }

  private static void fourK(long at, int shift, float s, float m, long to) {
    for (int j = 0; j < 32; j += LANES) {
      store(floats(codes(at + j).lanewise(LSHR, shift).and(15)).mul(s).sub(m), to + 4L * j);
    }
  }

  private static void decodeSixK(long row, long to) {
    float d = half(row + 208);
    for (int part = 0; part < 256; part += LANES) {
      float s = d * RawMemory.getByte(row + 192 + (part >> 4) & ADDRESS);
      int quarter = part >> 5 & 3;
      long low = row + 64L * (part >> 7) + 32L * (quarter & 1) + (part & 31);
      long high = row + 128 + 32L * (part >> 7) + (part & 31);
      IntVector bits = codes(high).lanewise(LSHR, 2 * quarter).and(3).lanewise(LSHL, 4);
      IntVector code = codes(low).lanewise(LSHR, 4 * (quarter >> 1)).and(15).or(bits);
      store(floats(code.sub(32)).mul(s), to + 4L * part);
    }
  }

  private static void store(FloatVector values, long to) {
    values.intoMemorySegment(ALL, to & ADDRESS, ORDER);
  }
}
