package ristretto.testkit;

import static ristretto.expr.Ops.*;
import static ristretto.testkit.ShapedCase.each;
import static ristretto.testkit.ShapedCase.of;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import ristretto.expr.Expr;
import ristretto.expr.type.BF16;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.F16;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.I8;
import ristretto.expr.type.U8;

/** Test cases of operations that join and shift tensors. */
final class JoinCases {
  private static final List<DType<?>> DTYPES =
      List.of(F32, F64, I32, I64, BOOL, F16, BF16, I8, U8, I16, U32);
  private static final List<DType<?>> NUMBERS =
      List.of(F32, F64, I32, I64, F16, BF16, I8, U8, I16, U32);
  static final List<ShapedCase> CASES = new ArrayList<>();

  private JoinCases() {}

  private static void join(
      String name,
      List<List<long[]>> shapes,
      Function<List<Expr<F32>>, Expr<?>> ours,
      Function<List<Nd>, Nd> oracle) {
    CASES.add(ShapedCase.exact(name, DTYPES, shapes, ours, oracle));
  }

  private static void one(
      String name,
      List<DType<?>> dtypes,
      List<List<long[]>> shapes,
      Function<Expr<F32>, Expr<?>> ours,
      UnaryOperator<Nd> oracle) {
    CASES.add(
        ShapedCase.exact(
            name, dtypes, shapes, in -> ours.apply(in.get(0)), in -> oracle.apply(in.get(0))));
  }

  private static Nd[] array(List<Nd> in) {
    return in.toArray(new Nd[0]);
  }

  private static long[] s(long... shape) {
    return shape;
  }

  static {
    join(
        "concat 0",
        List.of(
            of(s(3, 4), s(2, 4)),
            of(s(0, 4), s(2, 4)),
            of(s(3, 4), s(0, 4)),
            of(s(0, 4), s(0, 4)),
            of(s(3, 0), s(2, 0)),
            of(s(17), s(1031)),
            of(s(1), s(1))),
        in -> concat(0, in.get(0), in.get(1)),
        in -> Nd.concat(0, array(in)));
    join(
        "concat -1",
        List.of(of(s(3, 4), s(3, 7)), of(s(2, 3, 1), s(2, 3, 4)), of(s(33, 2), s(33, 15))),
        in -> concat(-1, in.get(0), in.get(1)),
        in -> Nd.concat(in.get(0).rank() - 1, array(in)));
    join(
        "concat of four, one of them twice",
        List.of(of(s(2, 3, 2), s(2, 1, 2), s(2, 0, 2))),
        in -> concat(1, in.get(0), in.get(1), in.get(2), in.get(0)),
        in -> Nd.concat(1, in.get(0), in.get(1), in.get(2), in.get(0)));
    join(
        "concat of more parts than one kernel tests",
        List.of(of(s(1, 5), s(2, 5), s(3, 5), s(1, 5), s(7, 5), s(1, 5), s(17, 5))),
        in -> concat(0, in),
        in -> Nd.concat(0, array(in)));
    CASES.add(
        ShapedCase.exact(
            "concat of maps in a map",
            NUMBERS,
            List.of(of(s(3, 4), s(2, 4)), of(s(16, 1), s(17, 1))),
            in -> concat(0, in.get(0).times(2), in.get(1).plus(1)).minus(3),
            in -> Nd.concat(0, in.get(0).map(v -> 2 * v - 3), in.get(1).map(v -> v + 1 - 3))));
    CASES.add(
        ShapedCase.exact(
            "sum of concat",
            NUMBERS,
            List.of(of(s(3, 4), s(2, 4)), of(s(16, 1), s(17, 1))),
            in -> sum(concat(0, in.get(0), in.get(1)), 0),
            in -> Nd.concat(0, array(in)).sum(0)));
    for (int axis : new int[] {0, 1, 2, -1, -3}) {
      join(
          "stack " + axis,
          List.of(of(s(3, 4), s(3, 4), s(3, 4)), of(s(0, 4), s(0, 4), s(0, 4))),
          in -> stack(axis, in),
          in -> {
            int d = Math.floorMod(axis, 3);
            long[] wide = new long[3];
            for (int k = 0; k < 3; k++) {
              wide[k] = k == d ? 1 : in.get(0).shape[k < d ? k : k - 1];
            }
            return Nd.concat(d, in.stream().map(v -> v.reshape(wide)).toArray(Nd[]::new));
          });
    }
    join(
        "stack of scalars",
        List.of(of(s(), s())),
        in -> stack(-1, in),
        in -> Nd.vector(in.get(0).at(), in.get(1).at()));
    one(
        "split, joined in reverse",
        DTYPES,
        each(s(6, 5), s(0, 5), s(3, 1)),
        a -> {
          var parts = new ArrayList<>(split(a, 3, 0));
          Collections.reverse(parts);
          return concat(0, parts);
        },
        v -> {
          long n = v.shape[0] / 3;
          return Nd.concat(0, v.slice(0, 2 * n, 1, n), v.slice(0, n, 1, n), v.slice(0, 0, 1, n));
        });
    paddings();
    repetitions();
    triangles();
  }

  private static void paddings() {
    one(
        "pad both axes",
        DTYPES,
        each(s(3, 4), s(0, 2), s(1, 1), s(33, 1)),
        a -> pad(a, 1, 2, 3, 0),
        v -> padded(v, 0, 1, 2, 3, 0));
    one(
        "pad the first axis only",
        NUMBERS,
        each(s(3, 4), s(2, 2, 2)),
        a -> pad(a, 2, 1),
        v -> padded(v, 0, Arrays.copyOf(new long[] {2, 1}, 2 * v.rank())));
    one("pad by nothing", NUMBERS, each(s(3, 4)), a -> pad(a), v -> v);
    one(
        "pad with 7, of a map and in a map",
        NUMBERS,
        each(s(17), s(0)),
        a -> padWith(a.times(2), 7, 1, 15).plus(1),
        v -> padded(v.map(x -> 2 * x), 7, 1, 15).map(x -> x + 1));
    one(
        "pad twice",
        NUMBERS,
        each(s(5)),
        a -> padWith(padWith(a, 7, 1, 1), 5, 2, 3),
        v -> padded(padded(v, 7, 1, 1), 5, 2, 3));
    for (long shift : new long[] {0, 1, -1, 3, 10, -13}) {
      one(
          "roll by " + shift,
          DTYPES,
          each(s(7), s(4, 5), s(0), s(1, 1)),
          a -> roll(a, shift, -1),
          v -> {
            long n = v.shape[v.rank() - 1];
            return Nd.build(
                v.shape,
                i -> {
                  long[] from = i.clone();
                  from[v.rank() - 1] = Math.floorMod(i[v.rank() - 1] - shift, n);
                  return v.at(from);
                });
          });
    }
    one("diff", NUMBERS, each(s(17), s(1), s(0), s(4)), a -> diff(a, 0), v -> differences(v, 0));
    one(
        "diff of the middle axis",
        NUMBERS,
        each(s(2, 5, 3), s(2, 1, 3)),
        a -> diff(a, -2),
        v -> differences(v, 1));
  }

  private static Nd padded(Nd v, double value, long... beforeAfter) {
    long[] to = v.shape.clone();
    for (int k = 0; k < beforeAfter.length; k++) {
      to[k / 2] += beforeAfter[k];
    }
    return Nd.build(
        to,
        i -> {
          long[] from = i.clone();
          for (int d = 0; d < from.length; d++) {
            from[d] -= beforeAfter[2 * d];
            if (from[d] < 0 || from[d] >= v.shape[d]) {
              return value;
            }
          }
          return v.at(from);
        });
  }

  private static Nd differences(Nd v, int axis) {
    long n = Math.max(0, v.shape[axis] - 1);
    return v.slice(axis, 1, 1, n).zip(v.slice(axis, 0, 1, n), (x, y) -> x - y);
  }

  private static void repetitions() {
    one("tile [2]", DTYPES, each(s(3, 4), s(5), s(), s(0)), a -> tile(a, 2), v -> tiled(v, 2));
    one(
        "tile [2, 1, 3]",
        DTYPES,
        each(s(3, 4), s(2, 3, 4), s(5)),
        a -> tile(a, 2, 1, 3),
        v -> tiled(v, 2, 1, 3));
    one("tile [2, 0]", NUMBERS, each(s(3, 4)), a -> tile(a, 2, 0), v -> tiled(v, 2, 0));
    for (int count : new int[] {0, 1, 3}) {
      one(
          "repeat " + count + " times",
          DTYPES,
          each(s(3, 4), s(17), s(0)),
          a -> repeat(a, count, -1),
          v -> {
            long[] to = v.shape.clone();
            int last = to.length - 1;
            to[last] *= count;
            return Nd.build(
                to,
                i -> {
                  long[] from = i.clone();
                  from[last] /= count;
                  return v.at(from);
                });
          });
    }
  }

  private static Nd tiled(Nd v, long... counts) {
    int rank = Math.max(v.rank(), counts.length);
    long[] to = new long[rank];
    long[] extents = new long[rank];
    for (int d = 0; d < rank; d++) {
      int own = d - rank + v.rank();
      int given = d - rank + counts.length;
      extents[d] = own < 0 ? 1 : v.shape[own];
      to[d] = extents[d] * (given < 0 ? 1 : counts[given]);
    }
    Nd wide = v.reshape(extents);
    return Nd.build(
        to,
        i -> {
          long[] from = i.clone();
          for (int d = 0; d < rank; d++) {
            from[d] %= extents[d];
          }
          return wide.at(from);
        });
  }

  private static void triangles() {
    List<List<long[]>> shapes =
        each(s(5, 5), s(3, 5), s(5, 3), s(2, 4, 4), s(1, 1), s(0, 3), s(1, 17));
    for (long k : new long[] {0, 1, -1, 2, -3, 9, -9}) {
      one(
          "tril " + k,
          DTYPES,
          shapes,
          a -> tril(a, k),
          v -> Nd.build(v.shape, i -> column(i) - row(i) <= k ? v.at(i) : 0));
      one(
          "triu " + k,
          DTYPES,
          shapes,
          a -> triu(a, k),
          v -> Nd.build(v.shape, i -> column(i) - row(i) >= k ? v.at(i) : 0));
      one("diagonal " + k, DTYPES, shapes, a -> diagonal(a, k), v -> diagonalOf(v, k));
    }
    one(
        "the main ones",
        NUMBERS,
        shapes,
        a -> tril(a).plus(triu(a)),
        v -> Nd.build(v.shape, i -> (column(i) == row(i) ? 2 : 1) * v.at(i)));
    one(
        "trace",
        NUMBERS,
        shapes,
        a -> trace(a),
        v -> {
          Nd d = diagonalOf(v, 0);
          return d.sum(d.rank() - 1);
        });
  }

  private static long row(long... i) {
    return i[i.length - 2];
  }

  private static long column(long... i) {
    return i[i.length - 1];
  }

  private static Nd diagonalOf(Nd v, long k) {
    int last = v.rank() - 1;
    long n = 0;
    for (long i = 0; i < v.shape[last - 1]; i++) {
      n += i + k >= 0 && i + k < v.shape[last] ? 1 : 0;
    }
    long[] to = Arrays.copyOf(v.shape, last);
    to[last - 1] = n;
    return Nd.build(
        to,
        i -> {
          long[] from = Arrays.copyOf(i, last + 1);
          from[last - 1] = i[last - 1] + Math.max(0, -k);
          from[last] = i[last - 1] + Math.max(0, k);
          return v.at(from);
        });
  }
}
