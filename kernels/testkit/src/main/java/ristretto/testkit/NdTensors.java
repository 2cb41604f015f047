package ristretto.testkit;

import java.util.Arrays;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.BF16;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.F16;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I16;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.I8;
import ristretto.expr.type.U16;
import ristretto.expr.type.U32;
import ristretto.expr.type.U64;
import ristretto.expr.type.U8;

/** Converts between {@link Nd} arrays and tensors of any dtype. */
final class NdTensors {
  private NdTensors() {}

  /** Rounds to the nearest values of the dtype. */
  static Nd round(DType<?> dtype, Nd values) {
    return values.map(v ->
        switch (dtype) {
          case F32 _ -> (float) v;
          case F64 _ -> v;
          case I32 _ -> (int) v;
          case I64 _ -> (long) v;
          case BOOL _ -> v != 0 ? 1 : 0;
          case F16 _ -> Float.float16ToFloat(Float.floatToFloat16((float) v));
          case BF16 _ -> bfloat((float) v);
          case I8 _ -> (byte) v;
          case U8 _ -> (int) v & 0xFF;
          case I16 _ -> (short) (long) v;
          case U16 _ -> (long) v & 0xFFFF;
          case U32 _ -> (long) v & 0xFFFF_FFFFL;
          case U64 _ -> v < 0 ? v + 0x1p64 : v;
        });
  }

  /** Rounds to the nearest BF16 value, ties to even. */
  private static float bfloat(float v) {
    float down = Float.intBitsToFloat(Float.floatToIntBits(v) & 0xFFFF0000);
    float up = Float.intBitsToFloat((Float.floatToIntBits(v) & 0xFFFF0000) + 0x10000);
    if (Float.isNaN(v) || down == v) {
      return v;
    }
    double below = Math.abs((double) v - down);
    // Overflow rounds as if the exponent range had one more value, 2^128, before infinity.
    double above = Math.abs((Float.isInfinite(up) ? Math.copySign(0x1p128, v) : up) - (double) v);
    boolean even = (Float.floatToIntBits(down) >> 16 & 1) == 0;
    return below < above || below == above && even ? down : up;
  }

  /** Creates a contiguous tensor. */
  @SuppressWarnings("unchecked")
  static <T> Tensor<T> tensor(Context ctx, DType<T> dtype, Nd values) {
    int n = values.data.length;
    Tensor<?> made =
        switch (dtype) {
          case F32 _ -> ctx.tensor(floats(values), values.shape);
          case F64 _ -> ctx.tensor(values.data, values.shape);
          case I32 _ -> {
            int[] ints = new int[n];
            Arrays.setAll(ints, k -> (int) values.data[k]);
            yield ctx.tensor(ints, values.shape);
          }
          case I64 _ -> {
            long[] longs = new long[n];
            Arrays.setAll(longs, k -> (long) values.data[k]);
            yield ctx.tensor(longs, values.shape);
          }
          case BOOL _ -> {
            boolean[] flags = new boolean[n];
            for (int k = 0; k < n; k++) {
              flags[k] = values.data[k] != 0;
            }
            yield ctx.tensor(flags, values.shape);
          }
          case F16 _, BF16 _, I8 _, U8 _ ->
              ctx.eval(ctx.tensor(floats(values), values.shape).cast(dtype));
          case I16 _, U16 _, U32 _ -> {
            long[] longs = new long[n];
            Arrays.setAll(longs, k -> (long) values.data[k]);
            yield ctx.eval(ctx.tensor(longs, values.shape).cast(dtype));
          }
          case U64 _ -> ctx.eval(ctx.tensor(values.data, values.shape).cast(dtype));
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

  /** Reads the tensor's values through its layout. */
  static Nd read(Tensor<?> t) {
    double[] data = new double[(int) t.shape().size()];
    switch (t.dtype()) {
      case F32 _ -> {
        float[] v = t.toFloatArray();
        Arrays.setAll(data, k -> v[k]);
      }
      case F64 _ -> data = t.toDoubleArray();
      case I32 _ -> {
        int[] v = t.toIntArray();
        Arrays.setAll(data, k -> v[k]);
      }
      case I64 _, I16 _, U16 _, U32 _ -> {
        long[] v = t.toLongArray();
        Arrays.setAll(data, k -> v[k]);
      }
      case BOOL _ -> {
        boolean[] v = t.toBooleanArray();
        Arrays.setAll(data, k -> v[k] ? 1 : 0);
      }
      case F16 _, BF16 _, I8 _, U8 _ -> {
        float[] v = t.context().eval(t.cast(Ops.F32)).toFloatArray();
        Arrays.setAll(data, k -> v[k]);
      }
      case U64 _ -> data = t.context().eval(t.cast(Ops.F64)).toDoubleArray();
    }
    return new Nd(t.shape().toArray(), data);
  }
}
