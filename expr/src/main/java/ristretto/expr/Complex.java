package ristretto.expr;

import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;
import ristretto.kernels.ShapeException;

/**
 * Complex numbers: a pair of expressions of one dtype and shape. Operations build expressions of
 * the parts, which fuse with what surrounds them; nothing is stored. Shapes broadcast. F32 and F64.
 *
 * @param <T> dtype of the parts
 */
public final class Complex<T> {
  private final Expr<T> re;
  private final Expr<T> im;
  private final boolean isReal;

  private Complex(Expr<T> re, Expr<T> im, boolean isReal) {
    this.re = re;
    this.im = im;
    this.isReal = isReal;
  }

  /**
   * Pairs real and imaginary parts, whose shapes broadcast.
   *
   * @throws ShapeException unless both are of one floating-point dtype
   */
  public static <T> Complex<T> of(Expr<T> re, Expr<T> im) {
    Apply.requireEqual("complex", re, im);
    Apply.requireFloat("complex", re);
    Shape shape = Expr.broadcast("complex", re, im);
    return new Complex<>(expanded(re, shape), expanded(im, shape), false);
  }

  /** Real numbers as complex ones, with imaginary parts of zero. */
  public static <T> Complex<T> of(Expr<T> re) {
    return real(re);
  }

  static <T> Complex<T> real(Expr<T> re) {
    Apply.requireFloat("complex", re);
    return new Complex<>(re, Scalars.filled(re.dtype(), re.shape(), 0), true);
  }

  /** Numbers of a magnitude and an angle in radians. */
  public static <T> Complex<T> polar(Expr<T> magnitude, Expr<T> angle) {
    return of(magnitude.times(Ops.cos(angle)), magnitude.times(Ops.sin(angle)));
  }

  private static <T> Expr<T> expanded(Expr<T> e, Shape shape) {
    return e.shape().equals(shape) ? e : e.expand(shape.extents());
  }

  /** Returns true if the imaginary parts are known to be zeros. */
  boolean isReal() {
    return isReal;
  }

  /** Real parts. */
  public Expr<T> re() {
    return re;
  }

  /** Imaginary parts. */
  public Expr<T> im() {
    return im;
  }

  /** Element type of the parts. */
  public DType<T> dtype() {
    return re.dtype();
  }

  /** Extents, outermost first. */
  public Shape shape() {
    return re.shape();
  }

  // Arithmetic

  /** Element-wise sum. */
  public Complex<T> plus(Complex<T> b) {
    return of(re.plus(b.re), im.plus(b.im));
  }

  /** Adds real numbers. */
  public Complex<T> plus(Expr<T> b) {
    return of(re.plus(b), im);
  }

  /** Adds a real number. */
  public Complex<T> plus(double b) {
    return of(re.plus(b), im);
  }

  /** Element-wise difference. */
  public Complex<T> minus(Complex<T> b) {
    return of(re.minus(b.re), im.minus(b.im));
  }

  /** Subtracts real numbers. */
  public Complex<T> minus(Expr<T> b) {
    return of(re.minus(b), im);
  }

  /** Subtracts a real number. */
  public Complex<T> minus(double b) {
    return of(re.minus(b), im);
  }

  /** Element-wise product. */
  public Complex<T> times(Complex<T> b) {
    return of(re.times(b.re).minus(im.times(b.im)), re.times(b.im).plus(im.times(b.re)));
  }

  /** Multiplies by real numbers. */
  public Complex<T> times(Expr<T> b) {
    return of(re.times(b), im.times(b));
  }

  /** Multiplies by a real number. */
  public Complex<T> times(double b) {
    return of(re.times(b), im.times(b));
  }

  /**
   * Element-wise quotient by Smith's method (1962): no intermediate result overflows where the
   * quotient does not, except near the limits of the dtype. Division by 0 gives NaN.
   */
  public Complex<T> div(Complex<T> b) {
    var wide = Ops.abs(b.re).ge(Ops.abs(b.im));
    Expr<T> large = Ops.where(wide, b.re, b.im);
    Expr<T> ratio = Ops.where(wide, b.im, b.re).div(large);
    Expr<T> divisor = large.plus(ratio.times(Ops.where(wide, b.im, b.re)));
    Expr<T> x = Ops.where(wide, re, im);
    Expr<T> y = Ops.where(wide, im, re);
    Expr<T> turned = Ops.where(wide, ratio.times(re), re);
    Expr<T> other = Ops.where(wide, im, ratio.times(im));
    return of(x.plus(ratio.times(y)).div(divisor), other.minus(turned).div(divisor));
  }

  /** Divides by real numbers. */
  public Complex<T> div(Expr<T> b) {
    return of(re.div(b), im.div(b));
  }

  /** Divides by a real number. */
  public Complex<T> div(double b) {
    return of(re.div(b), im.div(b));
  }

  /** Element-wise negation. */
  public Complex<T> neg() {
    return of(re.neg(), im.neg());
  }

  /** Conjugate. */
  public Complex<T> conj() {
    return of(re, im.neg());
  }

  /** Magnitude, without overflow of squares. */
  public Expr<T> abs() {
    return Ops.hypot(re, im);
  }

  /** Square of the magnitude: the power of a spectrum. */
  public Expr<T> abs2() {
    return re.times(re).plus(im.times(im));
  }

  /** Angle in radians, from -pi to pi; 0 for 0. */
  public Expr<T> angle() {
    return Ops.atan2(im, re);
  }

  /** Exponential. */
  public Complex<T> exp() {
    return polar(Ops.exp(re), im);
  }

  // Views

  /** Converts both parts to another floating-point dtype. */
  public <R> Complex<R> cast(DType<R> to) {
    return of(re.cast(to), im.cast(to));
  }

  /** Row-major elements in another shape; see {@link Expr#reshape}. */
  public Complex<T> reshape(long... dims) {
    return new Complex<>(re.reshape(dims), im.reshape(dims), isReal);
  }

  /** Slices both parts; see {@link Expr#slice}. */
  public Complex<T> slice(Slice... slices) {
    return new Complex<>(re.slice(slices), im.slice(slices), isReal);
  }

  /** Reverses all axes, without conjugation; see {@link Expr#t}. */
  public Complex<T> t() {
    return new Complex<>(re.t(), im.t(), isReal);
  }

  /** Axes in another order; see {@link Expr#permute}. */
  public Complex<T> permute(int... axes) {
    return new Complex<>(re.permute(axes), im.permute(axes), isReal);
  }

  /** Broadcasts to extents; see {@link Expr#expand}. */
  public Complex<T> expand(long... dims) {
    return new Complex<>(re.expand(dims), im.expand(dims), isReal);
  }

  /** Drops axes of extent 1; see {@link Expr#squeeze}. */
  public Complex<T> squeeze(int... axes) {
    return new Complex<>(re.squeeze(axes), im.squeeze(axes), isReal);
  }

  /** Inserts an axis of extent 1; see {@link Expr#unsqueeze}. */
  public Complex<T> unsqueeze(int axis) {
    return new Complex<>(re.unsqueeze(axis), im.unsqueeze(axis), isReal);
  }

  /** Both parts along a new last axis, {@code [..., 2]}, as C and Fortran store complex numbers. */
  public Expr<T> interleaved() {
    return Ops.stack(-1, re, im);
  }

  /** Dtype and shape in the form of messages: {@code complex f32[2,3]}. */
  @Override
  public String toString() {
    return "complex " + re.label();
  }
}
