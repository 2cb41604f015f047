package ristretto.expr;

import ristretto.expr.type.DType;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;

/**
 * Discrete Fourier transforms with the conventions of NumPy: {@code y[k] = sum over j of x[j]
 * exp(-2 pi i j k / n)}, and inverses with the conjugate factor and 1/n. Along the last axis unless
 * an axis is given, for all others at once; any length, F32 and F64. Arguments n crop the axis or
 * pad it with zeros first. A result's parts are views of one transform, which runs once. All
 * transforms have gradients, of any order.
 */
public final class Fft {
  private Fft() {}

  /** Transform of complex numbers: {@code x[..., n] -> y[..., n]}. */
  public static <T> Complex<T> fft(Complex<T> x) {
    return fft(x, -1, -1);
  }

  /** Transform of complex numbers to n points. */
  public static <T> Complex<T> fft(Complex<T> x, long n) {
    return fft(x, n, -1);
  }

  /** Transform of complex numbers to n points along an axis; -1 takes the extent of the axis. */
  public static <T> Complex<T> fft(Complex<T> x, long n, int axis) {
    return transform("fft", x, n, axis, false);
  }

  /** Transform of real numbers, all n results; {@link #rfft} computes half of them. */
  public static <T> Complex<T> fft(Expr<T> x) {
    return fft(Complex.of(x));
  }

  /** Transform of real numbers to n points. */
  public static <T> Complex<T> fft(Expr<T> x, long n) {
    return fft(Complex.of(x), n);
  }

  /** Transform of real numbers to n points along an axis; -1 takes the extent of the axis. */
  public static <T> Complex<T> fft(Expr<T> x, long n, int axis) {
    return fft(Complex.of(x), n, axis);
  }

  /** Inverse of {@link #fft(Complex)}. */
  public static <T> Complex<T> ifft(Complex<T> x) {
    return ifft(x, -1, -1);
  }

  /** Inverse transform to n points. */
  public static <T> Complex<T> ifft(Complex<T> x, long n) {
    return ifft(x, n, -1);
  }

  /** Inverse transform to n points along an axis; -1 takes the extent of the axis. */
  public static <T> Complex<T> ifft(Complex<T> x, long n, int axis) {
    return transform("ifft", x, n, axis, true);
  }

  private static <T> Complex<T> transform(
      String op, Complex<T> x, long n, int axis, boolean inverse) {
    int d = x.shape().axis(axis, op);
    long length = Transforms.length(op, x.re(), n, d);
    return Transforms.complex(resized(x, length, d), d, inverse, inverse ? 1.0 / length : 1);
  }

  private static <T> Complex<T> resized(Complex<T> x, long n, int axis) {
    if (x.shape().at(axis) == n) {
      return x;
    }
    Expr<T> re = Transforms.resized(x.re(), n, axis);
    return x.isReal() ? Complex.of(re) : Complex.of(re, Transforms.resized(x.im(), n, axis));
  }

  /** Transform of real numbers, results 0 to n/2: {@code x[..., n] -> y[..., n / 2 + 1]}. */
  public static <T> Complex<T> rfft(Expr<T> x) {
    return rfft(x, -1, -1);
  }

  /** Transform of n real numbers, results 0 to n/2. */
  public static <T> Complex<T> rfft(Expr<T> x, long n) {
    return rfft(x, n, -1);
  }

  /** Transform of n real numbers along an axis, results 0 to n/2; -1 takes the axis' extent. */
  public static <T> Complex<T> rfft(Expr<T> x, long n, int axis) {
    int d = x.shape().axis(axis, "rfft");
    return Transforms.real(Transforms.resized(x, Transforms.length("rfft", x, n, d), d), d);
  }

  /** Inverse of {@link #rfft(Expr)} for an even length: {@code x[..., m] -> y[..., 2 (m - 1)]}. */
  public static <T> Expr<T> irfft(Complex<T> x) {
    return irfft(x, -1, -1);
  }

  /** Inverse of {@link #rfft(Expr)} to n real numbers. */
  public static <T> Expr<T> irfft(Complex<T> x, long n) {
    return irfft(x, n, -1);
  }

  /**
   * Inverse of {@link #rfft(Expr)} to n real numbers along an axis; -1 takes the even length. The
   * imaginary parts of results 0 and, for even n, n/2 do not matter.
   */
  public static <T> Expr<T> irfft(Complex<T> x, long n, int axis) {
    int d = x.shape().axis(axis, "irfft");
    long even = 2 * (x.shape().at(d) - 1);
    long length = Transforms.length("irfft", x.re(), n == -1 ? even == -1 ? 0 : even : n, d);
    return Transforms.real(x, length, d, 1.0 / length);
  }

  /** Transform over the last two axes. */
  public static <T> Complex<T> fft2(Complex<T> x) {
    return fftn("fft2", x, -2, -1);
  }

  /** Transform of real numbers over the last two axes. */
  public static <T> Complex<T> fft2(Expr<T> x) {
    return fft2(Complex.of(x));
  }

  /** Inverse of {@link #fft2(Complex)}. */
  public static <T> Complex<T> ifft2(Complex<T> x) {
    return ifftn("ifft2", x, -2, -1);
  }

  /** Transform of real numbers over the last two axes; half of the results along the last one. */
  public static <T> Complex<T> rfft2(Expr<T> x) {
    x.shape().axis(-2, "rfft2");
    return fft(rfft(x), -1, -2);
  }

  /** Inverse of {@link #rfft2} for an even extent of the last axis. */
  public static <T> Expr<T> irfft2(Complex<T> x) {
    return irfft2(x, -1);
  }

  /** Inverse of {@link #rfft2} to n elements along the last axis. */
  public static <T> Expr<T> irfft2(Complex<T> x, long n) {
    x.shape().axis(-2, "irfft2");
    return irfft(ifft(x, -1, -2), n);
  }

  /** Transform over several axes, or over all if none is named. */
  public static <T> Complex<T> fftn(Complex<T> x, int... axes) {
    return fftn("fftn", x, axes);
  }

  /** Transform of real numbers over several axes, or over all if none is named. */
  public static <T> Complex<T> fftn(Expr<T> x, int... axes) {
    return fftn(Complex.of(x), axes);
  }

  /** Inverse of {@link #fftn(Complex, int...)}. */
  public static <T> Complex<T> ifftn(Complex<T> x, int... axes) {
    return ifftn("ifftn", x, axes);
  }

  private static <T> Complex<T> fftn(String op, Complex<T> x, int... axes) {
    int[] all = axes(op, x.shape(), axes);
    Complex<T> y = x;
    for (int k = all.length - 1; k >= 0; k--) {
      y = transform(op, y, -1, all[k], false);
    }
    return y;
  }

  private static <T> Complex<T> ifftn(String op, Complex<T> x, int... axes) {
    int[] all = axes(op, x.shape(), axes);
    Complex<T> y = x;
    for (int k = all.length - 1; k >= 0; k--) {
      y = transform(op, y, -1, all[k], true);
    }
    return y;
  }

  private static int[] axes(String op, Shape shape, int... axes) {
    int[] all = axes.length == 0 ? new int[shape.rank()] : axes.clone();
    for (int k = 0; k < all.length; k++) {
      all[k] = axes.length == 0 ? k : shape.axis(axes[k], op);
    }
    return all;
  }

  /** Moves frequency 0 to the middle of the named axes, or of all axes if none is named. */
  public static <T> Expr<T> fftshift(Expr<T> x, int... axes) {
    Expr<T> y = x;
    for (int d : axes("fftshift", x.shape(), axes)) {
      y = Ops.roll(y, x.shape().at(d) / 2, d);
    }
    return y;
  }

  /** Moves frequency 0 to the middle of the named axes, or of all axes if none is named. */
  public static <T> Complex<T> fftshift(Complex<T> x, int... axes) {
    return Complex.of(fftshift(x.re(), axes), fftshift(x.im(), axes));
  }

  /** Inverse of {@link #fftshift(Expr, int...)}. */
  public static <T> Expr<T> ifftshift(Expr<T> x, int... axes) {
    Expr<T> y = x;
    for (int d : axes("ifftshift", x.shape(), axes)) {
      y = Ops.roll(y, -(x.shape().at(d) / 2), d);
    }
    return y;
  }

  /** Inverse of {@link #fftshift(Complex, int...)}. */
  public static <T> Complex<T> ifftshift(Complex<T> x, int... axes) {
    return Complex.of(ifftshift(x.re(), axes), ifftshift(x.im(), axes));
  }

  /** Frequencies of the results of {@link #fft(Complex)}: cycles per unit of the spacing. */
  public static <T> Expr<T> fftfreq(DType<T> dtype, long n, double spacing) {
    Expr<I64> k = Transforms.index(Math.max(0, n), 0, 1);
    Expr<I64> signed = Ops.where(k.lt(n - n / 2), k, k.minus(n));
    return signed.cast(dtype).div(n * spacing);
  }

  /** Frequencies of the results of {@link #rfft(Expr)}: cycles per unit of the spacing. */
  public static <T> Expr<T> rfftfreq(DType<T> dtype, long n, double spacing) {
    return Transforms.index(n / 2 + 1, 0, 1).cast(dtype).div(n * spacing);
  }

  /** Smallest length of at least n whose transform is fast: prime factors 2, 3 and 5 only. */
  public static long nextFastLength(long n) {
    return ristretto.kernels.fourier.Factors.smoothAtLeast(n);
  }
}
