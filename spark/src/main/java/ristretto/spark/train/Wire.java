package ristretto.spark.train;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.ShortBuffer;

/** Encoding of trained tensors on the way from shards to their average. */
public enum Wire {
  /** The values in single precision. */
  F32 {
    @Override
    public byte[] encode(float[] values, float[] start) {
      var bytes = ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      bytes.asFloatBuffer().put(values);
      return bytes.array();
    }

    @Override
    void add(byte[] encoded, float[] start, int from, int count, double weight, double[] sum) {
      FloatBuffer values = ByteBuffer.wrap(encoded).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer();
      for (int k = 0; k < count; k++) {
        sum[k] += weight * values.get(from + k);
      }
    }
  },

  /**
   * The changes since the last average, rounded to BF16: half of the bytes. Values would lose small
   * changes, changes do not.
   */
  BF16 {
    @Override
    public byte[] encode(float[] values, float[] start) {
      var bytes = ByteBuffer.allocate(values.length * Short.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      ShortBuffer halves = bytes.asShortBuffer();
      for (int k = 0; k < values.length; k++) {
        int bits = Float.floatToIntBits(values[k] - start[k]);
        // To the nearest, ties to even; the canonical NaN stays one.
        halves.put((short) (bits + 0x7fff + (bits >>> 16 & 1) >>> 16));
      }
      return bytes.array();
    }

    @Override
    void add(byte[] encoded, float[] start, int from, int count, double weight, double[] sum) {
      ShortBuffer halves = ByteBuffer.wrap(encoded).order(ByteOrder.LITTLE_ENDIAN).asShortBuffer();
      for (int k = 0; k < count; k++) {
        float change = Float.intBitsToFloat(halves.get(from + k) << 16);
        sum[k] += weight * ((double) start[from + k] + change);
      }
    }
  };

  /**
   * Encodes values.
   *
   * @param start values of the last average
   */
  public abstract byte[] encode(float[] values, float[] start);

  /** Returns encoded values. */
  public float[] decode(byte[] encoded, float[] start) {
    return Sums.of(start.length, (from, count, sum) -> add(encoded, start, from, count, 1, sum));
  }

  /**
   * Adds some of the encoded values, multiplied by a weight, to a sum.
   *
   * @param sum receives value {@code from + k} at {@code k}
   */
  abstract void add(
      byte[] encoded, float[] start, int from, int count, double weight, double[] sum);
}
