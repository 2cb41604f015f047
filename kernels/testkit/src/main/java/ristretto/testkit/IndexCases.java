package ristretto.testkit;

import static ristretto.expr.Ops.*;
import static ristretto.testkit.ShapedCase.each;
import static ristretto.testkit.ShapedCase.of;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.type.BF16;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.F16;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.I8;
import ristretto.expr.type.Shape;
import ristretto.expr.type.U8;

/** Test cases of gathers and scatters by index tensors. */
final class IndexCases {
  private static final List<DType<?>> DTYPES =
      List.of(F32, F64, I32, I64, BOOL, F16, BF16, I8, U8, I16, U32);
  private static final List<DType<?>> NUMBERS =
      List.of(F32, F64, I32, I64, F16, BF16, I8, U8, I16, U32);
  static final List<ShapedCase> CASES = new ArrayList<>();

  private IndexCases() {}

  /**
   * Index tensor with values in [-n, n); negative values count from the end.
   *
   * @param layout layout of the index tensor
   * @param wide true for I64, false for I32
   */
  private record Indices(TensorLayout layout, boolean wide, long n, long... shape) {
    Nd values() {
      var random = new Random(shape.length + n);
      return layout.values(Nd.build(shape, _ -> random.nextInt((int) (2 * n)) - n));
    }

    /** Creates the tensor in the context of {@code other}. */
    Tensor<?> on(Expr<?> other) {
      Context ctx = ((Tensor<?>) other).context();
      return wide ? layout.tensor(ctx, I64, values()) : layout.tensor(ctx, I32, values());
    }
  }

  private static long[] s(long... shape) {
    return shape;
  }

  private static void exact(
      String name,
      List<DType<?>> dtypes,
      List<List<long[]>> shapes,
      Function<List<Expr<F32>>, Expr<?>> ours,
      Function<List<Nd>, Nd> oracle) {
    CASES.add(ShapedCase.exact(name, dtypes, shapes, ours, oracle));
  }

  static {
    for (TensorLayout layout : TensorLayout.values()) {
      boolean wide = layout.ordinal() % 2 == 0;
      List<DType<?>> dtypes = layout == TensorLayout.CONTIGUOUS ? DTYPES : List.of(F32, I64);
      take(dtypes, new Indices(layout, wide, 5, 7));
      take(dtypes, new Indices(layout, !wide, 5, 3, 2));
      take(dtypes, new Indices(layout, wide, 5, 0));
      take(dtypes, new Indices(layout, wide, 5));
      take(dtypes, new Indices(layout, !wide, 5, 1031));
      along(dtypes, new Indices(layout, wide, 5, 3, 7, 2));
      along(dtypes, new Indices(layout, wide, 5, 1, 17, 2));
      along(dtypes, new Indices(layout, wide, 5, 3, 0, 2));
      List<DType<?>> numbers = layout == TensorLayout.CONTIGUOUS ? NUMBERS : List.of(F32, I64);
      scatter(numbers, new Indices(layout, wide, 5, 7));
      scatter(numbers, new Indices(layout, !wide, 5, 3, 2));
      scatter(numbers, new Indices(layout, wide, 5, 0));
      scatter(numbers, new Indices(layout, wide, 5));
    }
    for (DType<?> dtype : DTYPES) {
      exact(
          "oneHot in " + dtype,
          List.of(I64, I32),
          each(s(7), s(3, 5), s(), s(0)),
          in -> oneHot(dtype, in.get(0), 4),
          in ->
              Nd.build(
                  Nd.append(in.get(0).shape, 4),
                  i -> in.get(0).at(Arrays.copyOf(i, i.length - 1)) == i[i.length - 1] ? 1 : 0));
    }
    exact(
        "oneHot of F32 by default",
        List.of(I64),
        each(s(7)),
        in -> oneHot(in.get(0), 9).plus(1),
        in -> Nd.build(s(7, 9), i -> in.get(0).at(i[0]) == i[1] ? 2 : 1));
    var rows = new Indices(TensorLayout.CONTIGUOUS, false, 5, 33);
    exact(
        "take of a map, and a map of it",
        NUMBERS,
        List.of(of(s(5, 3), s(33, 1))),
        in -> Ops.take(in.get(0).times(2), rows.on(in.get(0)), 0).plus(in.get(1)),
        in -> taken(in.get(0), rows.values(), 0).zip(in.get(1), (x, y) -> 2 * x + y));
    exact(
        "take by computed positions",
        NUMBERS,
        List.of(of(s(5, 3), s(33))),
        in -> Ops.take(in.get(0), abs(in.get(1).cast(I64)).rem(5), 0),
        in -> taken(in.get(0), in.get(1).map(v -> Math.abs(v) % 5), 0));
    exact(
        "sum of take, row by row",
        NUMBERS,
        each(s(5, 3)),
        in -> sum(Ops.take(in.get(0), rows.on(in.get(0)), 0), 1),
        in -> taken(in.get(0), rows.values(), 0).sum(1));
    exact(
        "take of take",
        NUMBERS,
        each(s(5, 5)),
        in ->
            Ops.take(
                Ops.take(in.get(0), rows.on(in.get(0)), 0).slice(from(0, 2)),
                rows.on(in.get(0)),
                1),
        in -> taken(taken(in.get(0), rows.values(), 0).slice(0, 0, 2, 17), rows.values(), 1));
  }

  private static void take(List<DType<?>> dtypes, Indices indices) {
    for (int axis : new int[] {0, 1, -1}) {
      exact(
          "take " + axis + " by " + indices,
          dtypes,
          axis == 0
              ? each(s(5), s(5, 3))
              : axis == 1 ? each(s(3, 5), s(2, 5, 3)) : each(s(2, 3, 5)),
          in -> Ops.take(in.get(0), indices.on(in.get(0)), axis),
          in -> taken(in.get(0), indices.values(), axis < 0 ? axis + in.get(0).rank() : axis));
    }
  }

  private static Nd taken(Nd v, Nd indices, int axis) {
    int more = indices.rank() - 1;
    long[] to = new long[v.rank() + more];
    for (int d = 0; d < to.length; d++) {
      to[d] =
          d < axis ? v.shape[d] : d <= axis + more ? indices.shape[d - axis] : v.shape[d - more];
    }
    return Nd.build(to, i -> v.at(source(v.shape, indices, axis, i)));
  }

  /** Index in the source of element {@code i} of a take; for a scatter, in the target. */
  private static long[] source(long[] shape, Nd indices, int axis, long... i) {
    int more = indices.rank() - 1;
    long[] from = new long[shape.length];
    for (int d = 0; d < from.length; d++) {
      from[d] = d < axis ? i[d] : d == axis ? 0 : i[d + more];
    }
    double at = indices.at(Arrays.copyOfRange(i, axis, axis + more + 1));
    from[axis] = Math.floorMod((long) at, shape[axis]);
    return from;
  }

  private static void along(List<DType<?>> dtypes, Indices indices) {
    exact(
        "takeAlongAxis by " + indices,
        dtypes,
        each(s(3, 5, 2), s(1, 5, 1)),
        in -> takeAlongAxis(in.get(0), indices.on(in.get(0)), 1),
        in -> {
          Nd v = in.get(0);
          long[] to = Nd.broadcast(new long[] {v.shape[0], 1, v.shape[2]}, indices.shape);
          Nd at = indices.values().expand(to);
          Nd wide = v.expand(to[0], 5, to[2]);
          return Nd.build(to, i -> wide.at(i[0], Math.floorMod((long) at.at(i), 5), i[2]));
        });
  }

  private static void scatter(List<DType<?>> dtypes, Indices indices) {
    long[] middle = Nd.append(Nd.append(new long[] {2}, indices.shape), 3);
    exact(
        "scatterAdd by " + indices,
        dtypes,
        List.of(of(middle)),
        in -> scatterAdd(Shape.of(2, 5, 3), 1, indices.on(in.get(0)), in.get(0)),
        in -> scattered(new long[] {2, 5, 3}, indices.values(), 1, in.get(0)));
    exact(
        "scatterAdd of a broadcast map by " + indices,
        dtypes,
        List.of(of(s(3))),
        in -> scatterAdd(Shape.of(5, 3), 0, indices.on(in.get(0)), in.get(0).times(2)).plus(1),
        in -> {
          long[] wide = Nd.append(indices.shape, 3);
          Nd values = in.get(0).map(v -> 2 * v).expand(wide);
          return scattered(new long[] {5, 3}, indices.values(), 0, values).map(v -> v + 1);
        });
  }

  private static Nd scattered(long[] shape, Nd indices, int axis, Nd values) {
    Nd result = Nd.build(shape, _ -> 0);
    for (int k = 0; k < values.data.length; k++) {
      long[] to = source(shape, indices, axis, Nd.index(values.shape, k));
      result.set(result.at(to) + values.data[k], to);
    }
    return result;
  }
}
