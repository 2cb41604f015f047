package ristretto.testkit;

import java.util.Arrays;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.function.ToDoubleFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Oracle for expressions: a row-major array of doubles, with every operation written in terms of
 * indices. Evaluation is eager, and results never alias.
 */
final class Nd {
  final long[] shape;
  final double[] data;

  Nd(long[] shape, double... data) {
    this.shape = shape;
    this.data = data;
    if (size(shape) != data.length) {
      throw new AssertionError(
          Arrays.toString(shape) + " holds " + size(shape) + ", got " + data.length);
    }
  }

  /** Creates an array whose element i is {@code value(i)}. */
  static Nd build(long[] shape, ToDoubleFunction<long[]> value) {
    double[] data = new double[size(shape)];
    for (int k = 0; k < data.length; k++) {
      data[k] = value.applyAsDouble(index(shape, k));
    }
    return new Nd(shape, data);
  }

  static Nd scalar(double v) {
    return new Nd(new long[0], v);
  }

  static Nd vector(double... v) {
    return new Nd(new long[] {v.length}, v);
  }

  static int size(long[] shape) {
    return (int) Arrays.stream(shape).reduce(1, (a, b) -> a * b);
  }

  /** Multi-dimensional index of row-major element {@code k}. */
  static long[] index(long[] shape, int k) {
    long[] i = new long[shape.length];
    for (int d = shape.length - 1; d >= 0; d--) {
      i[d] = k % shape[d];
      k /= (int) shape[d];
    }
    return i;
  }

  int rank() {
    return shape.length;
  }

  double at(long... i) {
    return data[position(i)];
  }

  void set(double v, long... i) {
    data[position(i)] = v;
  }

  private int position(long... i) {
    int k = 0;
    for (int d = 0; d < shape.length; d++) {
      if (i[d] < 0 || i[d] >= shape[d]) {
        throw new AssertionError(Arrays.toString(i) + " is outside " + Arrays.toString(shape));
      }
      k = (int) (k * shape[d] + i[d]);
    }
    return k;
  }

  // ---- element by element ------------------------------------------------------------------

  Nd map(DoubleUnaryOperator f) {
    return new Nd(shape, Arrays.stream(data).map(f).toArray());
  }

  Nd zip(Nd b, DoubleBinaryOperator f) {
    long[] to = broadcast(shape, b.shape);
    Nd x = expand(to);
    Nd y = b.expand(to);
    return build(to, i -> f.applyAsDouble(x.at(i), y.at(i)));
  }

  static Nd where(Nd condition, Nd a, Nd b) {
    long[] to = broadcast(broadcast(condition.shape, a.shape), b.shape);
    Nd p = condition.expand(to);
    Nd x = a.expand(to);
    Nd y = b.expand(to);
    return build(to, i -> p.at(i) != 0 ? x.at(i) : y.at(i));
  }

  /** Broadcasts two shapes by NumPy's rule. */
  static long[] broadcast(long[] a, long[] b) {
    int rank = Math.max(a.length, b.length);
    long[] to = new long[rank];
    for (int d = 0; d < rank; d++) {
      int da = d - rank + a.length;
      int db = d - rank + b.length;
      long x = da < 0 ? 1 : a[da];
      long y = db < 0 ? 1 : b[db];
      if (x != y && x != 1 && y != 1) {
        throw new AssertionError(Arrays.toString(a) + " and " + Arrays.toString(b));
      }
      to[d] = x == 1 ? y : x;
    }
    return to;
  }

  // ---- views -------------------------------------------------------------------------------

  Nd expand(long... to) {
    int missing = to.length - shape.length;
    return build(
        to,
        i -> {
          long[] from = Arrays.copyOfRange(i, missing, to.length);
          for (int d = 0; d < from.length; d++) {
            from[d] = shape[d] == 1 ? 0 : from[d];
          }
          return at(from);
        });
  }

  Nd reshape(long... to) {
    return new Nd(to, data);
  }

  Nd permute(int... axes) {
    long[] to = new long[axes.length];
    for (int d = 0; d < axes.length; d++) {
      to[d] = shape[axes[d]];
    }
    return build(
        to,
        i -> {
          long[] from = new long[axes.length];
          for (int d = 0; d < axes.length; d++) {
            from[axes[d]] = i[d];
          }
          return at(from);
        });
  }

  Nd t() {
    int[] axes = new int[shape.length];
    Arrays.setAll(axes, d -> axes.length - 1 - d);
    return permute(axes);
  }

  Nd flip(int axis) {
    return build(
        shape,
        i -> {
          long[] from = i.clone();
          from[axis] = shape[axis] - 1 - i[axis];
          return at(from);
        });
  }

  /** Takes {@code count} positions along an axis, from {@code start} by {@code step}. */
  Nd slice(int axis, long start, long step, long count) {
    long[] to = shape.clone();
    to[axis] = count;
    return build(
        to,
        i -> {
          long[] from = i.clone();
          from[axis] = start + step * i[axis];
          return at(from);
        });
  }

  static Nd concat(int axis, Nd... parts) {
    long[] to = parts[0].shape.clone();
    to[axis] = Arrays.stream(parts).mapToLong(p -> p.shape[axis]).sum();
    return build(
        to,
        i -> {
          long[] from = i.clone();
          for (Nd part : parts) {
            if (from[axis] < part.shape[axis]) {
              return part.at(from);
            }
            from[axis] -= part.shape[axis];
          }
          throw new AssertionError();
        });
  }

  // ---- rows --------------------------------------------------------------------------------

  /**
   * Applies {@code f} to all elements along {@code axes} in row-major order, and drops these axes;
   * no axes means all.
   */
  Nd reduce(ToDoubleFunction<double[]> f, int... axes) {
    boolean[] reduced = reduced(axes);
    long[] inner = Arrays.stream(pick(reduced, true)).map(d -> shape[(int) d]).toArray();
    long[] outer = Arrays.stream(pick(reduced, false)).map(d -> shape[(int) d]).toArray();
    return build(
        outer,
        o -> {
          double[] row = new double[size(inner)];
          for (int k = 0; k < row.length; k++) {
            long[] in = index(inner, k);
            long[] i = new long[shape.length];
            int a = 0;
            int b = 0;
            for (int d = 0; d < i.length; d++) {
              i[d] = reduced[d] ? in[a++] : o[b++];
            }
            row[k] = at(i);
          }
          return f.applyAsDouble(row);
        });
  }

  /** Shape with the reduced axes as extents of 1. */
  long[] kept(int... axes) {
    boolean[] reduced = reduced(axes);
    long[] to = shape.clone();
    for (int d = 0; d < to.length; d++) {
      to[d] = reduced[d] ? 1 : to[d];
    }
    return to;
  }

  private boolean[] reduced(int... axes) {
    boolean[] reduced = new boolean[shape.length];
    Arrays.fill(reduced, axes.length == 0);
    for (int axis : axes) {
      reduced[axis < 0 ? axis + shape.length : axis] = true;
    }
    return reduced;
  }

  private static long[] pick(boolean[] reduced, boolean which) {
    return LongStream.range(0, reduced.length).filter(d -> reduced[(int) d] == which).toArray();
  }

  /**
   * Replaces each row along {@code axis} by {@code f(row)}, whose length must depend on the row's
   * length only.
   */
  Nd rows(UnaryOperator<double[]> f, int axis) {
    int along = axis < 0 ? axis + shape.length : axis;
    int n = (int) shape[along];
    long[] to = shape.clone();
    to[along] = f.apply(new double[n]).length;
    double[] data = new double[size(to)];
    Nd result = new Nd(to, data);
    for (int k = 0; k < data.length; k++) {
      long[] i = index(to, k);
      if (i[along] == 0) {
        double[] row = new double[n];
        for (int j = 0; j < n; j++) {
          i[along] = j;
          row[j] = at(i);
        }
        double[] made = f.apply(row);
        for (int j = 0; j < made.length; j++) {
          i[along] = j;
          data[result.position(i)] = made[j];
        }
      }
    }
    return result;
  }

  Nd sum(int... axes) {
    return reduce(row -> Arrays.stream(row).reduce(0, Double::sum), axes);
  }

  Nd max(int... axes) {
    return reduce(row -> Arrays.stream(row).reduce(Double.NEGATIVE_INFINITY, Math::max), axes);
  }

  // ---- products ----------------------------------------------------------------------------

  /** Computes NumPy's matmul. */
  static Nd dot(Nd a, Nd b) {
    if (a.rank() == 1 && b.rank() == 1) {
      return a.zip(b, (x, y) -> x * y).sum();
    }
    if (a.rank() == 1) {
      Nd c = dot(a.reshape(1, a.shape[0]), b);
      return c.reshape(without(c.shape, c.rank() - 2));
    }
    if (b.rank() == 1) {
      Nd c = dot(a, b.reshape(b.shape[0], 1));
      return c.reshape(without(c.shape, c.rank() - 1));
    }
    long m = a.shape[a.rank() - 2];
    long k = a.shape[a.rank() - 1];
    long n = b.shape[b.rank() - 1];
    long[] batch =
        broadcast(Arrays.copyOf(a.shape, a.rank() - 2), Arrays.copyOf(b.shape, b.rank() - 2));
    Nd x = a.expand(append(batch, m, k));
    Nd y = b.expand(append(batch, k, n));
    return build(
        append(batch, m, n),
        i -> {
          double sum = 0;
          for (long l = 0; l < k; l++) {
            long[] left = i.clone();
            left[left.length - 1] = l;
            long[] right = i.clone();
            right[right.length - 2] = l;
            sum += x.at(left) * y.at(right);
          }
          return sum;
        });
  }

  static long[] append(long[] shape, long... more) {
    long[] to = Arrays.copyOf(shape, shape.length + more.length);
    System.arraycopy(more, 0, to, shape.length, more.length);
    return to;
  }

  static long[] without(long[] shape, int axis) {
    return IntStream.range(0, shape.length)
        .filter(d -> d != axis)
        .mapToLong(d -> shape[d])
        .toArray();
  }

  @Override
  public String toString() {
    return Arrays.toString(shape) + Arrays.toString(data);
  }
}
