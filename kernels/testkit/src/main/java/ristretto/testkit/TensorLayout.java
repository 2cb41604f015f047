package ristretto.testkit;

import java.util.Arrays;
import ristretto.expr.Context;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.expr.type.Slice;

/** Memory layouts of a tensor with given values. */
enum TensorLayout {
  CONTIGUOUS {
    @Override
    <T> Tensor<T> tensor(Context ctx, DType<T> dtype, Nd v) {
      return NdTensors.tensor(ctx, dtype, v);
    }
  },
  TRANSPOSED {
    @Override
    <T> Tensor<T> tensor(Context ctx, DType<T> dtype, Nd v) {
      return NdTensors.tensor(ctx, dtype, v.t()).t();
    }
  },
  /** Every second element of every axis, starting at the second. */
  STEPPED {
    @Override
    <T> Tensor<T> tensor(Context ctx, DType<T> dtype, Nd v) {
      long[] wide = Arrays.stream(v.shape).map(n -> 2 * n + 1).toArray();
      Nd base =
          Nd.build(
              wide,
              i -> {
                long[] from = Arrays.stream(i).map(k -> k / 2).toArray();
                return Arrays.stream(i).allMatch(k -> k % 2 == 1) ? v.at(from) : 77;
              });
      Slice[] slices = new Slice[v.rank()];
      Arrays.fill(slices, Ops.from(1, 2));
      return NdTensors.tensor(ctx, dtype, base).slice(slices);
    }
  },
  FLIPPED {
    @Override
    <T> Tensor<T> tensor(Context ctx, DType<T> dtype, Nd v) {
      Nd base = v;
      int[] axes = new int[v.rank()];
      for (int d = 0; d < axes.length; d++) {
        axes[d] = d;
        base = base.flip(d);
      }
      return axes.length == 0
          ? NdTensors.tensor(ctx, dtype, v)
          : NdTensors.tensor(ctx, dtype, base).flip(axes);
    }
  },
  /** Interior of a larger tensor. */
  INNER {
    @Override
    <T> Tensor<T> tensor(Context ctx, DType<T> dtype, Nd v) {
      long[] wide = Arrays.stream(v.shape).map(n -> n + 3).toArray();
      Nd base =
          Nd.build(
              wide,
              i -> {
                for (int d = 0; d < i.length; d++) {
                  if (i[d] < 2 || i[d] >= v.shape[d] + 2) {
                    return 77;
                  }
                }
                return v.at(Arrays.stream(i).map(k -> k - 2).toArray());
              });
      Slice[] slices = new Slice[v.rank()];
      for (int d = 0; d < slices.length; d++) {
        slices[d] = Ops.range(2, 2 + v.shape[d]);
      }
      return NdTensors.tensor(ctx, dtype, base).slice(slices);
    }
  },
  /** Stride of zero along the last axis, whose values are all equal. */
  ROW_REPEATED {
    @Override
    Nd values(Nd v) {
      return v.data.length == 0 || v.rank() == 0
          ? v
          : v.slice(v.rank() - 1, 0, 1, 1).expand(v.shape);
    }

    @Override
    <T> Tensor<T> tensor(Context ctx, DType<T> dtype, Nd v) {
      if (v.data.length == 0 || v.rank() == 0) {
        return NdTensors.tensor(ctx, dtype, v);
      }
      return NdTensors.tensor(ctx, dtype, v.slice(v.rank() - 1, 0, 1, 1)).expand(v.shape);
    }
  },
  /** All strides zero. */
  ONE_VALUE {
    @Override
    Nd values(Nd v) {
      return v.data.length == 0 ? v : Nd.scalar(v.data[0]).expand(v.shape);
    }

    @Override
    <T> Tensor<T> tensor(Context ctx, DType<T> dtype, Nd v) {
      return v.data.length == 0
          ? NdTensors.tensor(ctx, dtype, v)
          : NdTensors.tensor(ctx, dtype, Nd.scalar(v.data[0])).expand(v.shape);
    }
  };

  /** Returns {@code v} with the repetitions that the layout implies. */
  Nd values(Nd v) {
    return v;
  }

  /** Creates a tensor of {@code v} in this layout; {@code v} must come from {@link #values}. */
  abstract <T> Tensor<T> tensor(Context ctx, DType<T> dtype, Nd v);
}
