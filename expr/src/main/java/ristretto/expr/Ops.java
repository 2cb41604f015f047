package ristretto.expr;

import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import ristretto.expr.graph.Barrier.Sort;
import ristretto.expr.graph.Views;
import ristretto.expr.measure.Steps;
import ristretto.expr.measure.Stopwatch;
import ristretto.expr.measure.Timing;
import ristretto.expr.memory.MemoryWatch;
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
import ristretto.expr.type.PaddingMode;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;
import ristretto.expr.type.U16;
import ristretto.expr.type.U32;
import ristretto.expr.type.U64;
import ristretto.expr.type.U8;
import ristretto.kernels.block.BlockFormat;
import ristretto.kernels.ir.Kernel;

/**
 * All operations, for {@code import static ristretto.expr.Ops.*}. Semantics are NumPy's unless an
 * operation's javadoc states a difference. Operations compute nothing: each returns an {@link
 * Expr}, whose rules for broadcasting, dtypes, numbers, negative axes and errors apply to all
 * operations.
 */
public final class Ops extends FunctionOps {
  private Ops() {}

  /** 32-bit floating point. */
  public static final F32 F32 = ristretto.expr.type.F32.INSTANCE;

  /** 64-bit floating point. */
  public static final F64 F64 = ristretto.expr.type.F64.INSTANCE;

  /** 32-bit signed integers, which wrap. */
  public static final I32 I32 = ristretto.expr.type.I32.INSTANCE;

  /** 64-bit signed integers, which wrap. */
  public static final I64 I64 = ristretto.expr.type.I64.INSTANCE;

  /** Booleans, one byte per element. */
  public static final BOOL BOOL = ristretto.expr.type.BOOL.INSTANCE;

  /** 16-bit floating point (IEEE half), a storage type: kernels compute in F32. */
  public static final F16 F16 = ristretto.expr.type.F16.INSTANCE;

  /** bfloat16 (the upper half of an F32), a storage type: kernels compute in F32. */
  public static final BF16 BF16 = ristretto.expr.type.BF16.INSTANCE;

  /** 8-bit signed integers, a storage type: kernels compute in I32. */
  public static final I8 I8 = ristretto.expr.type.I8.INSTANCE;

  /** 8-bit unsigned integers, a storage type: kernels compute in I32. */
  public static final U8 U8 = ristretto.expr.type.U8.INSTANCE;

  /** 16-bit signed integers, which wrap; a storage type: kernels compute in I32. */
  public static final I16 I16 = ristretto.expr.type.I16.INSTANCE;

  /** 16-bit unsigned integers, which wrap; a storage type: kernels compute in I32. */
  public static final U16 U16 = ristretto.expr.type.U16.INSTANCE;

  /** 32-bit unsigned integers, which wrap; a storage type: kernels compute in I64. */
  public static final U32 U32 = ristretto.expr.type.U32.INSTANCE;

  /** 64-bit unsigned integers, which wrap; a storage type: kernels compute in I64. */
  public static final U64 U64 = ristretto.expr.type.U64.INSTANCE;

  // Numbers

  /**
   * Scalar expression of rank 0 that broadcasts. The value is a launch scalar: another value needs
   * no new kernel. It must be whole and within the range of the dtype, unless the dtype is floating
   * point.
   */
  public static <T> Expr<T> scalar(DType<T> dtype, double value) {
    return Scalars.number(dtype, value);
  }

  /**
   * Scalar expression of rank 0 from a whole number, exact beyond 53 bits. The dtype must hold the
   * number.
   */
  public static <T> Expr<T> scalar(DType<T> dtype, long value) {
    return Scalars.number(dtype, value);
  }

  /**
   * Constant expression of a given shape, without memory. The value must be whole and within the
   * range of the dtype, unless the dtype is floating point.
   */
  public static <T> Expr<T> fill(DType<T> dtype, double value, long... dims) {
    return Scalars.filled(dtype, Shape.of(dims), value);
  }

  // Gradients

  /**
   * Gradient of {@code sum(y)} with respect to {@code x}, of x's shape; see {@link Gradients}.
   * {@code x} must be the very object that y was built from: an equal expression does not count.
   *
   * @throws ristretto.kernels.ShapeException if y is not computed from x; {@link #gradientOrZero}
   *     returns zeros instead
   */
  @SuppressWarnings("unchecked")
  public static <T> Expr<T> gradient(Expr<?> y, Expr<T> x) {
    return (Expr<T>) Gradients.of(y, List.of(x)).get(0);
  }

  /** Gradient of {@code sum(y)} with respect to {@code x}; zeros if y is not computed from x. */
  @SuppressWarnings("unchecked")
  public static <T> Expr<T> gradientOrZero(Expr<?> y, Expr<T> x) {
    return (Expr<T>) Gradients.find(y, x).orElseGet(() -> fill(x.dtype(), 0, x.shape().extents()));
  }

  /** Passes values through as constants for {@link #gradient}: no gradient flows into {@code a}. */
  public static <T> Expr<T> stopGradient(Expr<T> a) {
    return Apply.stopGradient(a);
  }

  // Random numbers

  /**
   * Uniform random numbers in [0, 1); for integers and BOOL over all values of the dtype. An
   * element depends on the seed and its row-major number only: equal seeds give equal bits on every
   * device, in every evaluation, in this version and later ones. Draws from different distributions
   * (uniform, normal, random integers) with one seed are independent; uniform numbers of different
   * dtypes derive from the same bits. {@link Seed} derives independent seeds from one. The numbers
   * are computed in the kernels of their readers, without memory.
   */
  public static <T> Expr<T> uniform(DType<T> dtype, long seed, long... dims) {
    return uniform(dtype, Scalars.number(I64, seed), dims);
  }

  /**
   * Uniform random numbers with a seed of one element, such as a tensor that changes between runs
   * of a {@link Program}; see {@link #uniform(DType, long, long...)}.
   */
  public static <T> Expr<T> uniform(DType<T> dtype, Expr<I64> seed, long... dims) {
    return RandomNumbers.uniform(dtype, seed, Shape.of(dims));
  }

  /**
   * Uniform random numbers in [0, 1) with a derived key; see {@link #uniform(DType, long,
   * long...)}.
   */
  public static <T> Expr<T> uniform(DType<T> dtype, Seed seed, long... dims) {
    return uniform(dtype, seed.value(), dims);
  }

  /**
   * Uniform random integers in [low, high), derived from 53 random bits. The dtype must hold all
   * numbers in the range.
   */
  public static <T> Expr<T> randomIntegers(
      DType<T> dtype, long seed, long low, long high, long... dims) {
    return RandomNumbers.integers(dtype, Scalars.number(I64, seed), low, high, Shape.of(dims));
  }

  /**
   * Uniform random integers in [low, high) with a derived key; see {@link #randomIntegers(DType,
   * long, long, long, long...)}.
   */
  public static <T> Expr<T> randomIntegers(
      DType<T> dtype, Seed seed, long low, long high, long... dims) {
    return RandomNumbers.integers(dtype, seed.value(), low, high, Shape.of(dims));
  }

  /**
   * Normal random numbers with mean 0 and standard deviation 1, floating point only; reproducible
   * as {@link #uniform(DType, long, long...)} is.
   */
  public static <T> Expr<T> normal(DType<T> dtype, long seed, long... dims) {
    return normal(dtype, Scalars.number(I64, seed), dims);
  }

  /**
   * Standard normal random numbers with a seed of one element, such as a tensor that changes
   * between runs of a {@link Program}.
   */
  public static <T> Expr<T> normal(DType<T> dtype, Expr<I64> seed, long... dims) {
    return RandomNumbers.normal(dtype, seed, Shape.of(dims));
  }

  /** Standard normal random numbers with a derived key. */
  public static <T> Expr<T> normal(DType<T> dtype, Seed seed, long... dims) {
    return normal(dtype, seed.value(), dims);
  }

  // Slices

  /** The whole axis. */
  public static Slice all() {
    return Slice.all();
  }

  /** Positions in [start, stop); negative positions count from the end. */
  public static Slice range(long start, long stop) {
    return Slice.range(start, stop);
  }

  /**
   * Positions from start to stop (exclusive) with a step, which may be negative: {@code range(-1,
   * -4, -1)} selects the last three, backwards.
   */
  public static Slice range(long start, long stop, long step) {
    return new Slice(start, stop, step, false);
  }

  /** Positions from start to the end of the axis. */
  public static Slice from(long start) {
    return Slice.from(start, 1);
  }

  /**
   * Positions from start with a step, to the end of the axis (to its beginning for negative steps).
   */
  public static Slice from(long start, long step) {
    return Slice.from(start, step);
  }

  /** Single position, which drops the axis; negative positions count from the end. */
  public static Slice at(long position) {
    return Slice.at(position);
  }

  // Joining, selecting and sorting

  /** Concatenates expressions along an axis; all other axes must be equal. */
  @SafeVarargs
  @SuppressWarnings("varargs")
  public static <T> Expr<T> concat(int axis, Expr<T>... parts) {
    return ArrayManipulation.concat("concat", axis, List.of(parts));
  }

  /** Concatenates a list of expressions along an axis; all other axes must be equal. */
  public static <T> Expr<T> concat(int axis, List<? extends Expr<T>> parts) {
    return ArrayManipulation.concat("concat", axis, List.copyOf(parts));
  }

  /** Stacks expressions of equal shape along a new axis {@code axis} of the result. */
  @SafeVarargs
  @SuppressWarnings("varargs")
  public static <T> Expr<T> stack(int axis, Expr<T>... parts) {
    return ArrayManipulation.stack(axis, List.of(parts));
  }

  /** Stacks a list of expressions of equal shape along a new axis {@code axis} of the result. */
  public static <T> Expr<T> stack(int axis, List<? extends Expr<T>> parts) {
    return ArrayManipulation.stack(axis, List.copyOf(parts));
  }

  /** Splits into equal parts along an axis, as views; {@code parts} must divide the extent. */
  public static <T> List<Expr<T>> split(Expr<T> a, int parts, int axis) {
    return ArrayManipulation.split(a, parts, axis);
  }

  /**
   * Pads with zeros: {@code pad(a, before0, after0, before1, after1, ...)} takes the number of
   * zeros before and after each axis; trailing axes without padding may be omitted.
   */
  public static <T> Expr<T> pad(Expr<T> a, long... beforeAfter) {
    return padWith(a, 0, beforeAfter);
  }

  /**
   * Pads with elements of the expression, as a view: {@code pad(a, REFLECT, before0, after0,
   * before1, after1, ...)}. Corners are padded along one axis after the other, as in NumPy and
   * PyTorch.
   *
   * @throws ristretto.kernels.ShapeException if there is more padding along an axis than the mode
   *     has elements for
   */
  public static <T> Expr<T> pad(Expr<T> a, PaddingMode mode, long... beforeAfter) {
    return ArrayManipulation.pad(a, mode, beforeAfter);
  }

  /** Pads with a value; amounts as in {@link #pad(Expr, long...)}. */
  public static <T> Expr<T> padWith(Expr<T> a, double value, long... beforeAfter) {
    return ArrayManipulation.pad(a, a.number(value), beforeAfter);
  }

  /**
   * Rotates elements along an axis, towards its end if {@code shift} is positive; elements shifted
   * out re-enter at the other end.
   */
  public static <T> Expr<T> roll(Expr<T> a, long shift, int axis) {
    return ArrayManipulation.roll(a, shift, axis);
  }

  /**
   * Sliding windows along the last axes, as a view: {@code a[..., h, w] -> y[..., oh, ow, kh, kw]}
   * for {@code sizes} [kh, kw]. Convolutions and pooling are products and reductions over windows.
   *
   * @param sizes extents of a window along each of the last axes
   * @param strides distances between consecutive windows
   * @param dilations distances between consecutive elements of a window
   * @throws ristretto.kernels.ShapeException if the arrays differ in length or have elements that
   *     are not positive, or a window is larger than the expression
   */
  public static <T> Expr<T> windows(Expr<T> a, long[] sizes, long[] strides, long[] dilations) {
    return Expr.view(a, Views.windows(a.shape(), sizes, strides, dilations));
  }

  /**
   * Convolution of neural networks (cross-correlation): {@code images[n, channels, ...], filters[f,
   * channels / groups, ...] -> y[n, f, ...]}. Runs on a library of the device if available ({@link
   * Context#convolves}), or else as a product with {@link #windows}.
   *
   * @param strides distances between consecutive windows along each of the last axes, in elements
   * @param dilations distances between consecutive elements of a window
   * @param padding zeros added before and after each of the last axes
   * @param groups number of groups of channels and filters
   * @throws ristretto.kernels.ShapeException if shapes and parameters do not fit
   */
  public static <T> Expr<T> convolution(
      Expr<T> images,
      Expr<T> filters,
      long[] strides,
      long[] dilations,
      long[] padding,
      long groups) {
    return Convolutions.of(images, filters, strides, dilations, padding, groups);
  }

  /** Sliding windows along the last axes with strides and dilations of 1, as a view. */
  public static <T> Expr<T> windows(Expr<T> a, long... sizes) {
    long[] ones = new long[sizes.length];
    Arrays.fill(ones, 1);
    return windows(a, sizes, ones, ones);
  }

  /** Differences of consecutive elements along an axis; the axis becomes one shorter. */
  public static <T> Expr<T> diff(Expr<T> a, int axis) {
    int d = a.shape().axis(axis, "diff");
    var later = new Slice[d + 1];
    Arrays.fill(later, all());
    Slice[] earlier = later.clone();
    later[d] = from(1);
    earlier[d] = range(0, -1);
    return a.slice(later).minus(a.slice(earlier));
  }

  /** Repeats the whole expression along each axis; counts align with the last axes, as in NumPy. */
  public static <T> Expr<T> tile(Expr<T> a, long... counts) {
    return ArrayManipulation.tile(a, counts);
  }

  /** Repeats each element {@code count} times along an axis. */
  public static <T> Expr<T> repeat(Expr<T> a, long count, int axis) {
    return ArrayManipulation.repeat(a, count, axis);
  }

  /**
   * Lower triangle of the last two axes: elements on and below diagonal k, zeros above. Diagonal 0
   * is the main diagonal, positive k lie above, negative k below.
   */
  public static <T> Expr<T> tril(Expr<T> a, long k) {
    Expr<I64> rows = ArrayManipulation.matrixCoordinate("tril", a, -2);
    return where(
        ArrayManipulation.matrixCoordinate("tril", a, -1)
            .le(rows.plus(ArrayManipulation.diagonalNumber(k))),
        a,
        literal(a, 0));
  }

  /** Lower triangle of the last two axes: elements on and below the main diagonal, zeros above. */
  public static <T> Expr<T> tril(Expr<T> a) {
    return tril(a, 0);
  }

  /**
   * Upper triangle of the last two axes: elements on and above diagonal k, zeros below; k as in
   * {@link #tril}.
   */
  public static <T> Expr<T> triu(Expr<T> a, long k) {
    Expr<I64> rows = ArrayManipulation.matrixCoordinate("triu", a, -2);
    return where(
        ArrayManipulation.matrixCoordinate("triu", a, -1)
            .ge(rows.plus(ArrayManipulation.diagonalNumber(k))),
        a,
        literal(a, 0));
  }

  /** Upper triangle of the last two axes: elements on and above the main diagonal, zeros below. */
  public static <T> Expr<T> triu(Expr<T> a) {
    return triu(a, 0);
  }

  /** Diagonal k of the last two axes, as a view: {@code a[..., n, n] -> y[..., n]} for k = 0. */
  public static <T> Expr<T> diagonal(Expr<T> a, long k) {
    return ArrayManipulation.diagonal(a, k);
  }

  /** Main diagonal of the last two axes, as a view. */
  public static <T> Expr<T> diagonal(Expr<T> a) {
    return diagonal(a, 0);
  }

  /** Sum of the main diagonal of the last two axes. */
  public static <T> Expr<T> trace(Expr<T> a) {
    return sum(diagonal(a, 0), -1);
  }

  /**
   * Gathers elements at {@code indices} (I32 or I64) along an axis: {@code a[..., n, ...], i[p, q]
   * -> y[..., p, q, ...]}. Indices must lie in [-n, n), negative indices count from the end;
   * evaluation with an index out of range throws a {@link ristretto.kernels.ShapeException}.
   */
  public static <T> Expr<T> take(Expr<T> a, Expr<?> indices, int axis) {
    return GatherScatter.take(a, indices, axis);
  }

  /**
   * Gathers elements like NumPy's take_along_axis: {@code a[..., n, ...], i[..., m, ...] -> y[...,
   * m, ...]}. {@code indices} and {@code a} have equal rank and broadcast on all axes except {@code
   * axis}. Index range and errors as in {@link #take}.
   */
  public static <T> Expr<T> takeAlongAxis(Expr<T> a, Expr<?> indices, int axis) {
    return GatherScatter.takeAlongAxis(a, indices, axis);
  }

  /**
   * One-hot encoding in F32 along a new last axis: {@code i[p] -> y[p, n]}. Indices outside [0, n),
   * including negative indices, give zeros.
   */
  public static Expr<F32> oneHot(Expr<?> indices, long n) {
    return oneHot(F32, indices, n);
  }

  /**
   * One-hot encoding in a given dtype along a new last axis: {@code i[p] -> y[p, n]}. Indices
   * outside [0, n), including negative indices, give zeros.
   */
  public static <T> Expr<T> oneHot(DType<T> dtype, Expr<?> indices, long n) {
    return GatherScatter.oneHot(dtype, indices, n);
  }

  /**
   * Adds values at indices along an axis to zeros of {@code shape}: the gradient of {@link #take}
   * with equal axis and indices. Indices may repeat. {@code values} broadcast to the shape with the
   * axis replaced by the indices' axes. Sums do not depend on the number of threads; F32 sums have
   * the accuracy of {@link #sum}, sums of F16 and BF16 are rounded once.
   */
  public static <T> Expr<T> scatterAdd(Shape shape, int axis, Expr<?> indices, Expr<T> values) {
    return GatherScatter.scatter(
        "scatterAdd", Kernel.Scatter.Operator.ADD, shape, axis, indices, values);
  }

  /**
   * Sorts in ascending order along an axis; stable, with NaN last and zeros of either sign equal.
   */
  public static <T> Expr<T> sort(Expr<T> a, int axis) {
    return GatherScatter.sorted(a, a.shape(), new Sort(a.shape().axis(axis, "sort"), false, false));
  }

  /** Positions along an axis in the order of {@link #sort}. */
  public static <T> Expr<I64> argSort(Expr<T> a, int axis) {
    return GatherScatter.positions(
        a, a.shape(), new Sort(a.shape().axis(axis, "argSort"), false, true));
  }

  /**
   * The k largest elements along an axis in descending order, NaN last; among equal elements the
   * first.
   */
  public static <T> Expr<T> topK(Expr<T> a, int k, int axis) {
    int d = a.shape().axis(axis, "topK");
    return GatherScatter.sorted(a, GatherScatter.top(a, k, axis), new Sort(d, true, false));
  }

  /** Positions of the k largest elements along an axis in the order of {@link #topK}. */
  public static <T> Expr<I64> argTopK(Expr<T> a, int k, int axis) {
    int d = a.shape().axis(axis, "argTopK");
    return GatherScatter.positions(a, GatherScatter.top(a, k, axis), new Sort(d, true, true));
  }

  /** Coordinate of each element along an axis: for axis 1 of a matrix, 0, 1, 2, ... in each row. */
  public static Expr<I64> coordinate(Shape shape, int axis) {
    return ArrayManipulation.index(shape, shape.axis(axis, "coordinate"));
  }

  // Views by function

  /** Row-major elements in another shape; see {@link Expr#reshape}. */
  public static <T> Expr<T> reshape(Expr<T> a, long... dims) {
    return a.reshape(dims);
  }

  /** View with all axes reversed; see {@link Expr#t}. */
  public static <T> Expr<T> transpose(Expr<T> a) {
    return a.t();
  }

  /** View with the axes in another order; see {@link Expr#permute}. */
  public static <T> Expr<T> permute(Expr<T> a, int... axes) {
    return a.permute(axes);
  }

  /** Broadcasts to the given extents; see {@link Expr#expand}. */
  public static <T> Expr<T> expand(Expr<T> a, long... dims) {
    return a.expand(dims);
  }

  /** Reverses axes; see {@link Expr#flip}. */
  public static <T> Expr<T> flip(Expr<T> a, int... axes) {
    return a.flip(axes);
  }

  /**
   * Applies an operation to operands of two dtypes, both cast to the dtype that NumPy computes in
   * ({@link DType#promote}): {@code promote(a, b, Ops::add)}, or {@code Expr::times}. Where the
   * dtypes are known, {@code a.cast(F64).times(b)} has a static dtype.
   */
  public static Expr<?> promote(
      Expr<?> a, Expr<?> b, BiFunction<Expr<Object>, Expr<Object>, Expr<?>> operation) {
    @SuppressWarnings("unchecked")
    var common = (DType<Object>) DType.promote(a.dtype(), b.dtype());
    return operation.apply(a.cast(common), b.cast(common));
  }

  /** Converts elements to another dtype; see {@link Expr#cast}. */
  public static <T, R> Expr<R> cast(Expr<T> a, DType<R> to) {
    return a.cast(to);
  }

  // Linear algebra

  /**
   * Matrix product {@code a[..., m, k], b[..., k, n] -> y[..., m, n]} with NumPy's matmul semantics
   * at any rank: leading axes broadcast, vectors are treated as in matmul. F32 and F64 run on the
   * library's GEMM, F16 and BF16 compute in F32, integer sums are exact and wrap.
   */
  public static <T> Expr<T> dot(Expr<T> a, Expr<T> b) {
    return MatrixProduct.dot(a, b);
  }

  /**
   * Matrix product {@code a[..., m, k], b[..., k, n] -> y[..., m, n]}; an alias of {@link #dot}.
   */
  public static <T> Expr<T> matmul(Expr<T> a, Expr<T> b) {
    return MatrixProduct.dot(a, b);
  }

  /** Outer product of flattened operands: {@code a[m], b[n] -> y[m, n]}. */
  public static <T> Expr<T> outer(Expr<T> a, Expr<T> b) {
    return a.flatten().unsqueeze(1).times(b.flatten().unsqueeze(0));
  }

  /**
   * Einstein summation over one or more operands: {@code einsum("bij,bjk->bik", a, b)}. An ellipsis
   * stands for any further axes, which broadcast: {@code einsum("...ij,...jk->...ik", a, b)}; a
   * result without an ellipsis sums over those axes. Operands are multiplied two at a time, up to 8
   * of known shapes in the order with the fewest multiplications. Semantics are NumPy's, except
   * that all axes of one letter must have equal extents.
   */
  @SafeVarargs
  @SuppressWarnings("varargs")
  public static <T> Expr<T> einsum(String equation, Expr<T>... operands) {
    return Einsum.of(equation, List.of(operands));
  }

  // Quantization

  /** Blocks of 32 elements: 8 bits each and a scale, 8.5 bits per element. */
  public static final BlockFormat Q8_0 = BlockFormat.Q8_0;

  /** Blocks of 32 elements: 4 bits each and a scale, 4.5 bits per element. */
  public static final BlockFormat Q4_0 = BlockFormat.Q4_0;

  /** Blocks of 256 elements: 4 bits each, 8 scales and offsets, 4.5 bits per element. */
  public static final BlockFormat Q4_K = BlockFormat.Q4_K;

  /** Blocks of 256 elements: 6 bits each and 16 scales, 6.6 bits per element. */
  public static final BlockFormat Q6_K = BlockFormat.Q6_K;

  /**
   * Quantizes a matrix {@code [k, n]} along axis 0, which {@link #dot} sums over if the matrix is
   * its right operand: {@code dot(x, quantize(w, Q8_0))}. For normally distributed elements the
   * error is about 0.5 % of their root mean square for Q8_0, 2 % for Q6_K, 7 % for Q4_K and 9 % for
   * Q4_0.
   *
   * @throws ristretto.kernels.ShapeException if the tensor is no matrix, an element is not finite,
   *     or the axis is no multiple of the block's length
   */
  public static QuantizedTensor quantize(Tensor<F32> w, BlockFormat format) {
    return QuantizedTensor.of(w, format, 0);
  }

  /** Quantizes a matrix along an axis; see {@link #quantize(Tensor, BlockFormat)}. */
  public static QuantizedTensor quantize(Tensor<F32> w, BlockFormat format, int axis) {
    return QuantizedTensor.of(w, format, axis);
  }

  /**
   * Quantizes each column of a matrix to integers of 8 bits with one scale, so that {@link #dot}
   * sums along the columns; see {@link #quantize(Tensor, BlockFormat)}. Axis 0 may have any extent.
   */
  public static QuantizedTensor quantize(Tensor<F32> w, I8 format) {
    return QuantizedTensor.of(w, BlockFormat.I8, 0);
  }

  /** Quantizes along an axis; see {@link #quantize(Tensor, I8)}. */
  public static QuantizedTensor quantize(Tensor<F32> w, I8 format, int axis) {
    return QuantizedTensor.of(w, BlockFormat.I8, axis);
  }

  // Registered operators

  /**
   * Applies the operator registered in {@link ExprRegistry} under this name for the inputs' dtypes.
   *
   * @throws ristretto.kernels.ShapeException if there is none, or its result has another dtype
   */
  public static <T> Expr<T> call(DType<T> result, String name, Expr<?>... inputs) {
    return ExprRegistry.call(result, name, List.of(inputs));
  }

  // Times

  /**
   * Measures the time of a computation, prints one line and returns the median and the quartiles.
   * The body runs for about 1.3 seconds, the first part of which is a warm-up; work of all open
   * contexts is finished before each time is taken. An expression alone computes nothing: the body
   * evaluates or assigns it.
   *
   * <pre>{@code
   * Timing t = bench("softmax", () -> ctx.assign(y, softmax(x, 1)));
   * }</pre>
   */
  public static Timing bench(String name, Runnable body) {
    return bench(name, 0, body);
  }

  /**
   * Measures the time of a computation and its gigabytes per second; see {@link #bench(String,
   * Runnable)}.
   *
   * @param bytes bytes that a run reads and writes
   */
  public static Timing bench(String name, long bytes, Runnable body) {
    Timing timing =
        Stopwatch.measure(name, bytes, body, () -> MemoryWatch.ofProcess().synchronize());
    System.out.println(timing);
    return timing;
  }

  /**
   * Numbers 0, 1, ... {@code count - 1} for a loop with a progress bar on standard error, which is
   * shown only if a terminal is attached: {@code for (int epoch : progress("epochs", 100))}.
   */
  public static Iterable<Integer> progress(String task, int count) {
    return new Steps(task, count);
  }
}
