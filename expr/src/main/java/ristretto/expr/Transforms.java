package ristretto.expr;

import java.util.Arrays;
import java.util.List;
import ristretto.expr.dim.UnknownDims;
import ristretto.expr.formula.Reads;
import ristretto.expr.formula.Scalar;
import ristretto.expr.graph.Barrier.Fourier;
import ristretto.expr.type.DType;
import ristretto.expr.type.F32;
import ristretto.expr.type.F64;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;
import ristretto.kernels.ShapeException;
import ristretto.kernels.fourier.Factors;
import ristretto.kernels.fourier.Roots;
import ristretto.kernels.scalar.ScalarType;

/** Builds Fourier transforms of any length from transforms of lengths with small prime factors. */
final class Transforms {
  private Transforms() {}

  /** Length of a transform along an axis: {@code n}, or the extent of the axis if n is -1. */
  static long length(String op, Expr<?> x, long n, int axis) {
    if (x.dtype() != (Object) F32.INSTANCE && x.dtype() != (Object) F64.INSTANCE) {
      throw new ShapeException(
          "[%s] elements must be f32 or f64; got %s; cast them.".formatted(op, x.label()));
    }
    long length = n == -1 ? x.shape().at(axis) : n;
    if (!UnknownDims.isKnown(x.shape().at(axis))) {
      throw new ShapeException(
          "[%s] the extent of the axis must be known; got axis %s of %s."
              .formatted(op, axis, x.label()));
    }
    if (length < 1) {
      throw new ShapeException(
          "[%s] there must be at least one point; got n = %s for axis %s of %s."
              .formatted(op, length, axis, x.label()));
    }
    return length;
  }

  /** Crops an axis, or pads it with zeros, to an extent. */
  static <T> Expr<T> resized(Expr<T> x, long n, int axis) {
    long extent = x.shape().at(axis);
    if (n == extent) {
      return x;
    }
    if (n < extent) {
      return slice(x, axis, Slice.range(0, n));
    }
    long[] after = new long[2 * (axis + 1)];
    after[2 * axis + 1] = n - extent;
    return Ops.pad(x, after);
  }

  static <T> Expr<T> slice(Expr<T> x, int axis, Slice slice) {
    Slice[] slices = new Slice[axis + 1];
    Arrays.fill(slices, Slice.all());
    slices[axis] = slice;
    return x.slice(slices);
  }

  /** Transform of complex numbers over all of an axis, times a factor. */
  static <T> Complex<T> complex(Complex<T> x, int axis, boolean inverse, double scale) {
    long n = x.shape().at(axis);
    if (n == 1 || x.shape().size() == 0) {
      return scale == 1 ? x : x.times(scale);
    }
    if (Factors.isSmooth(n)) {
      return planes(packed(x, new Fourier(axis, 0, inverse, false, scale)), 0);
    }
    return inverse ? exchanged(chirp(exchanged(x), axis, scale)) : chirp(x, axis, scale);
  }

  private static <T> Expr<T> packed(Complex<T> x, Fourier op) {
    long[] from = x.shape().extents();
    from[op.axis()] += op.periodic() ? 1 : 0;
    long[] dims = new long[from.length + 1];
    for (int d = 0; d < dims.length; d++) {
      dims[d] = d == op.pair() ? 2 : from[d < op.pair() ? d : d - 1];
    }
    Shape shape = Shape.of(dims);
    return x.isReal()
        ? new Computed<>(op, x.dtype(), shape, x.re())
        : new Computed<>(op, x.dtype(), shape, x.re(), x.im());
  }

  private static <T> Complex<T> planes(Expr<T> packed, int pair) {
    return Complex.of(slice(packed, pair, Slice.at(0)), slice(packed, pair, Slice.at(1)));
  }

  private static <T> Complex<T> exchanged(Complex<T> x) {
    return Complex.of(x.im(), x.re());
  }

  /**
   * Bluestein's algorithm: with {@code 2 j k = j^2 + k^2 - (k - j)^2}, the transform is a
   * convolution with a chirp, by transforms of a length with small factors.
   */
  private static <T> Complex<T> chirp(Complex<T> x, int axis, double scale) {
    long n = x.shape().at(axis);
    long m = Factors.smoothAtLeast(2 * n - 1);
    int rank = x.shape().rank();
    Expr<I64> k = index(n, axis, rank);
    Complex<T> chirp = root(x.dtype(), square(k, 2 * n), 2 * n);
    Complex<T> wound = x.times(chirp);
    Complex<T> padded = Complex.of(resized(wound.re(), m, axis), resized(wound.im(), m, axis));
    // Element j and element m - j of the kernel are equal.
    Expr<I64> j = index(m, axis, rank);
    Expr<I64> distance = Ops.min(j, j.neg().plus(m));
    Complex<T> conjugate = root(x.dtype(), square(distance, 2 * n), 2 * n).conj();
    var inside = distance.lt(n);
    Complex<T> kernel =
        Complex.of(Ops.where(inside, conjugate.re(), 0.0), Ops.where(inside, conjugate.im(), 0.0));
    Complex<T> product = complex(padded, axis, false, 1).times(complex(kernel, axis, false, 1));
    Complex<T> all = complex(product, axis, true, scale / m);
    return Complex.of(resized(all.re(), n, axis), resized(all.im(), n, axis)).times(chirp);
  }

  private static Expr<I64> square(Expr<I64> k, long modulus) {
    return k.times(k).rem(modulus);
  }

  /** Positions along an axis, in a shape that has extents of 1 otherwise. */
  static Expr<I64> index(long n, int axis, int rank) {
    long[] dims = new long[rank];
    Arrays.fill(dims, 1);
    dims[axis] = n;
    return ArrayManipulation.index(Shape.of(dims), axis);
  }

  /** Roots of unity {@code exp(-2 pi i k / n)} for {@code 0 <= k < n}. */
  static <T> Complex<T> root(DType<T> dtype, Expr<I64> k, long n) {
    Expr<I64> order = Scalars.number(I64.INSTANCE, n);
    return Complex.of(new Root<>(dtype, k, order, n, 0), new Root<>(dtype, k, order, n, 1));
  }

  /** Real or imaginary part of a root of unity. */
  private static final class Root<T> extends RExpr<T> {
    private final long n;
    private final int part;

    Root(DType<T> dtype, Expr<I64> k, Expr<I64> order, long n, int part) {
      super(dtype, k.shape(), k, order);
      this.n = n;
      this.part = part;
    }

    @Override
    protected Scalar read(Reads in) {
      ScalarType type = dtype().scalar();
      int[] parts = in.tape().inline(Roots.tape(type, n), in.input(0).row(), in.input(1).row());
      return in.scalar(parts[part]);
    }

    @Override
    protected List<Expr<?>> gradients(Expr<T> dy) {
      return Arrays.asList(null, null);
    }

    @Override
    protected Object key() {
      return List.of("root of unity", part, Roots.isQuick(dtype().scalar(), n));
    }

    @Override
    public String toString() {
      return "root of unity";
    }
  }

  /** Half spectrum, {@code n / 2 + 1} elements, of real numbers over all of an axis. */
  static <T> Complex<T> real(Expr<T> x, int axis) {
    long n = x.shape().at(axis);
    if (n % 2 != 0 || x.shape().size() == 0 || !Factors.isSmooth(n)) {
      Complex<T> all = complex(Complex.real(x), axis, false, 1);
      return Complex.of(resized(all.re(), n / 2 + 1, axis), resized(all.im(), n / 2 + 1, axis));
    }
    // Even and odd elements as real and imaginary parts.
    long half = n / 2;
    Complex<T> halves =
        Complex.of(slice(x, axis, Slice.from(0, 2)), slice(x, axis, Slice.from(1, 2)));
    if (half == 1) {
      Complex<T> sum = Complex.real(halves.re().plus(halves.im()));
      return concat(axis, sum, Complex.real(halves.re().minus(halves.im())));
    }
    Complex<T> z = planes(packed(halves, new Fourier(axis, 0, false, true, 0.5)), 0);
    Complex<T> mirrored = Complex.of(z.re().flip(axis), z.im().flip(axis)).conj();
    Complex<T> root = root(x.dtype(), index(half + 1, axis, x.shape().rank()), n);
    Complex<T> turned = z.minus(mirrored).times(root);
    return z.plus(mirrored).plus(Complex.of(turned.im(), turned.re().neg()));
  }

  private static <T> Complex<T> concat(int axis, Complex<T> a, Complex<T> b) {
    return Complex.of(Ops.concat(axis, a.re(), b.re()), Ops.concat(axis, a.im(), b.im()));
  }

  /** Real numbers, n along the axis, of their half spectrum, times a factor. */
  static <T> Expr<T> real(Complex<T> x, long n, int axis, double scale) {
    Complex<T> half =
        Complex.of(resized(x.re(), n / 2 + 1, axis), resized(x.im(), n / 2 + 1, axis));
    int rank = x.shape().rank();
    if (n % 2 != 0 || half.shape().size() == 0 || n == 2 || !Factors.isSmooth(n)) {
      Expr<I64> k = index(n / 2 + 1, axis, rank);
      Expr<T> one = Scalars.literal(x.dtype(), 1);
      Expr<T> two = Scalars.literal(x.dtype(), 2);
      var single = n % 2 == 0 ? k.eq(0).or(k.eq(n / 2)) : k.eq(0);
      Expr<T> weight = Ops.where(single, one, two);
      Complex<T> weighted =
          Complex.of(half.re().times(weight), Ops.where(single, 0.0, half.im().times(weight)));
      Complex<T> padded =
          Complex.of(resized(weighted.re(), n, axis), resized(weighted.im(), n, axis));
      return complex(padded, axis, true, scale).re();
    }
    long m = n / 2;
    Expr<I64> k = index(m, axis, rank);
    Complex<T> front = crop(half, axis, m);
    Complex<T> back = crop(Complex.of(half.re().flip(axis), half.im().flip(axis)).conj(), axis, m);
    var first = k.eq(0);
    front = Complex.of(front.re(), Ops.where(first, 0.0, front.im()));
    back = Complex.of(back.re(), Ops.where(first, 0.0, back.im()));
    Complex<T> turned = front.minus(back).times(root(x.dtype(), k, n).conj());
    Complex<T> z = front.plus(back).plus(Complex.of(turned.im().neg(), turned.re()));
    // Even and odd elements are adjacent.
    Expr<T> pairs = packed(z, new Fourier(axis, axis + 1, true, false, scale));
    long[] dims = x.shape().extents();
    dims[axis] = n;
    return pairs.reshape(dims);
  }

  private static <T> Complex<T> crop(Complex<T> x, int axis, long n) {
    return Complex.of(resized(x.re(), n, axis), resized(x.im(), n, axis));
  }

  /** Gradients of the operands: the conjugate transform of the results' gradient. */
  static <T> List<Expr<?>> adjoint(Expr<T> e, Fourier op, Expr<T> dy) {
    Complex<T> d = planes(dy, op.pair());
    if (op.periodic()) {
      long n = e.inputs().get(0).shape().at(op.axis());
      d = Complex.of(folded(d.re(), op.axis(), n), folded(d.im(), op.axis(), n));
    }
    Complex<T> dx = complex(d, op.axis(), !op.inverse(), op.scale());
    return e.inputs().size() == 1 ? List.of(dx.re()) : List.of(dx.re(), dx.im());
  }

  /** Adds element n to element 0. */
  private static <T> Expr<T> folded(Expr<T> dy, int axis, long n) {
    return slice(dy, axis, Slice.range(0, n))
        .plus(resized(slice(dy, axis, Slice.from(n, 1)), n, axis));
  }
}
