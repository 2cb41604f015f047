package ristretto.expr;

import java.util.Arrays;
import java.util.List;

/** Moves {@link Nd} arrays in and out of tensors of any dtype. */
final class TestTensors {
  /** Each test runs on each of them. */
  static final List<String> DEVICES = List.of("cpu", "oracle");

  private TestTensors() {}

  /** The nearest values that the dtype holds. */
  static Nd round(DType<?> dtype, Nd values) {
    return values.map(v ->
        switch (dtype.scalar()) {
          case F32 -> (float) v;
          case F64 -> v;
          case I32 -> (int) v;
          case I64 -> (long) v;
          case BOOL -> v != 0 ? 1 : 0;
          case F16 -> Float.float16ToFloat(Float.floatToFloat16((float) v));
          case BF16 -> bfloat((float) v);
          case I8 -> (byte) v;
          case U8 -> (int) v & 0xFF;
        });
  }

  /** The nearer of the two values around, the even one of two equally near. */
  private static float bfloat(float v) {
    float down = Float.intBitsToFloat(Float.floatToIntBits(v) & 0xFFFF0000);
    float up = Float.intBitsToFloat((Float.floatToIntBits(v) & 0xFFFF0000) + 0x10000);
    if (Float.isNaN(v) || down == v) {
      return v;
    }
    double below = Math.abs((double) v - down);
    // Beyond the largest value there would be one more before infinity.
    double above = Math.abs((Float.isInfinite(up) ? Math.copySign(0x1p128, v) : up) - (double) v);
    boolean even = (Float.floatToIntBits(down) >> 16 & 1) == 0;
    return below < above || below == above && even ? down : up;
  }

  /** A contiguous tensor. */
  @SuppressWarnings("unchecked")
  static <T> Tensor<T> tensor(Context ctx, DType<T> dtype, Nd values) {
    int n = values.data.length;
    Tensor<?> made =
        switch (dtype.scalar()) {
          case F32 -> ctx.tensor(floats(values), values.shape);
          case F64 -> ctx.tensor(values.data, values.shape);
          case I32 -> {
            int[] ints = new int[n];
            Arrays.setAll(ints, k -> (int) values.data[k]);
            yield ctx.tensor(ints, values.shape);
          }
          case I64 -> {
            long[] longs = new long[n];
            Arrays.setAll(longs, k -> (long) values.data[k]);
            yield ctx.tensor(longs, values.shape);
          }
          case BOOL -> {
            boolean[] flags = new boolean[n];
            for (int k = 0; k < n; k++) {
              flags[k] = values.data[k] != 0;
            }
            yield ctx.tensor(flags, values.shape);
          }
          case F16, BF16, I8, U8 -> ctx.eval(ctx.tensor(values.data, values.shape).cast(dtype));
        };
    return (Tensor<T>) made.reshape(values.shape);
  }

  private static float[] floats(Nd values) {
    float[] floats = new float[values.data.length];
    for (int k = 0; k < floats.length; k++) {
      floats[k] = (float) values.data[k];
    }
    return floats;
  }

  /** The tensor's values, read through its own layout. */
  static Nd read(Tensor<?> t) {
    double[] data = new double[(int) t.shape().size()];
    switch (t.dtype().scalar()) {
      case F32 -> {
        float[] v = t.toFloatArray();
        Arrays.setAll(data, k -> v[k]);
      }
      case F64 -> data = t.toDoubleArray();
      case I32 -> {
        int[] v = t.toIntArray();
        Arrays.setAll(data, k -> v[k]);
      }
      case I64 -> {
        long[] v = t.toLongArray();
        Arrays.setAll(data, k -> v[k]);
      }
      case BOOL -> {
        boolean[] v = t.toBooleanArray();
        Arrays.setAll(data, k -> v[k] ? 1 : 0);
      }
      case F16, BF16, I8, U8 -> data = t.context().eval(t.cast(Ops.F64)).toDoubleArray();
    }
    return new Nd(t.shape().toArray(), data);
  }
}
