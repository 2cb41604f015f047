package ristretto.expr;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import ristretto.expr.dim.UnknownDims;
import ristretto.expr.graph.Barrier.Reduce;
import ristretto.expr.graph.Barrier.Scan;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;
import ristretto.kernels.LambdaException;
import ristretto.kernels.ShapeException;
import ristretto.kernels.ir.Kernel;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.ir.Reduction;
import ristretto.kernels.lambda.Lambda;
import ristretto.kernels.lift.Lifter;
import ristretto.kernels.scalar.Op;
import ristretto.kernels.scalar.Tape;

/** Reductions and scans composed of {@link Reduce} and {@link Scan}. */
final class Reductions {
  /**
   * Longest row for {@link Reduction.Kind#ROW_SUM}, such that F32 accumulation loses at most one
   * digit.
   */
  private static final long SHORT_ROW = 4096;

  private Reductions() {}

  /** Sum over axes; see {@link Ops#sum}. */
  static <T> Reduced<T> sum(Expr<T> a, int... axes) {
    return reduce("sum", Reduction.Kind.SUM, a, axes);
  }

  /** Product over axes; see {@link Ops#prod}. */
  static <T> Reduced<T> prod(Expr<T> a, int... axes) {
    return reduce("prod", Reduction.Kind.PROD, a, axes);
  }

  static <T> Reduced<T> reduce(String op, Reduction.Kind kind, Expr<T> a, int... axes) {
    if (!a.dtype().isFloat() && !a.dtype().isInteger()) {
      throw new ShapeException(
          ("[%s] operands must be numbers; got %s; cast first, as in x.cast(I32), or use any, all"
                  + " or countNonZero.")
              .formatted(op, a.label()));
    }
    boolean extreme = kind == Reduction.Kind.MAX || kind == Reduction.Kind.MIN;
    requireElements(op, extreme, a, axes);
    if (extreme && UnsignedOrder.isNeeded(a)) {
      Expr<I64> kept = reduce(op, kind, UnsignedOrder.of(a), axes).keepDims();
      return dropped(UnsignedOrder.restored(a, kept), a, axes);
    }
    return dropped(kept(kind, a.dtype(), a, Optional.empty(), 0, axes));
  }

  static <T> Reduced<I64> arg(String op, Reduction.Kind kind, Expr<T> a, int... axes) {
    requireElements(op, true, a, axes);
    Expr<?> ordered =
        a.dtype() == (Object) BOOL.INSTANCE
            ? a.cast(I32.INSTANCE)
            : UnsignedOrder.isNeeded(a) ? UnsignedOrder.of(a) : a;
    boolean whole = axes.length == 0 || axes.length == 1 && a.shape().rank() == 1;
    if (whole && inBlocks(ordered)) {
      Expr<I64> position =
          kind == Reduction.Kind.ARGMAX
              ? ofBlocks(ordered.flatten(), kind, Reduction.Kind.MAX)
              : ofBlocks(ordered.flatten(), kind, Reduction.Kind.MIN);
      long[] ones = new long[a.shape().rank()];
      Arrays.fill(ones, 1);
      return new Reduced<>(position.reshape(ones), Shape.SCALAR);
    }
    return dropped(kept(kind, I64.INSTANCE, ordered, Optional.empty(), 0, axes));
  }

  /**
   * Length of the blocks of a large vector. Extremes alone are found at the speed of memory; the
   * position is then sought in one block.
   */
  private static final long BLOCK = 4096;

  private static boolean inBlocks(Expr<?> a) {
    long n = a.shape().elements();
    return UnknownDims.isKnown(n)
        && n >= 16 * BLOCK
        && a.memory() != null
        && a.memory().map().isContiguous();
  }

  /** Position of the first extreme, or of the first NaN: first of its block, then in the block. */
  private static <T> Expr<I64> ofBlocks(Expr<T> a, Reduction.Kind kind, Reduction.Kind extreme) {
    long n = a.shape().elements();
    long blocks = n / BLOCK;
    Expr<T> rows = a.slice(Slice.range(0, blocks * BLOCK)).reshape(blocks, BLOCK);
    Expr<T> most = kept(extreme, a.dtype(), rows, Optional.empty(), 0, 1).reshape(blocks);
    if (n % BLOCK != 0) {
      Expr<T> rest = a.slice(Slice.from(blocks * BLOCK, 1));
      Expr<T> last = kept(extreme, a.dtype(), rest, Optional.empty(), 0, 0);
      most = ArrayManipulation.concat("argMax", 0, List.of(most, last));
    }
    Expr<I64> block = kept(kind, I64.INSTANCE, most, Optional.empty(), 0, 0);
    // The last block may begin before its first element: an extreme there would have been found.
    Expr<I64> start =
        Apply.binary(Op.MIN, block.times(BLOCK), Scalars.number(I64.INSTANCE, n - BLOCK));
    Expr<I64> places = ArrayManipulation.index(Shape.of(BLOCK), 0).plus(start);
    Expr<T> found = GatherScatter.take(a, places, 0);
    return kept(kind, I64.INSTANCE, found, Optional.empty(), 0, 0).plus(start);
  }

  static void requireElements(String op, boolean needed, Expr<?> a, int... axes) {
    if (!needed || a.shape().elements() != 0) {
      return;
    }
    boolean empty = axes.length == 0;
    for (int axis : axes) {
      empty |= a.shape().at(a.shape().axis(axis, op)) == 0;
    }
    if (empty) {
      throw new ShapeException(
          "[%s] the reduced axes must not be empty; got %s; %s of no elements is undefined."
              .formatted(op, a.label(), op));
    }
  }

  /**
   * Creates a reduction whose reduced axes have extent 1.
   *
   * @param axes axes to reduce; all if empty
   */
  static <T> Expr<T> kept(
      Reduction.Kind kind,
      DType<T> result,
      Expr<?> input,
      Optional<Tape> combine,
      long identity,
      int... axes) {
    Shape from = input.shape();
    boolean[] reduced = new boolean[from.rank()];
    Arrays.fill(reduced, axes.length == 0);
    String op = kind.name().toLowerCase(java.util.Locale.ROOT);
    for (int axis : axes) {
      int d = from.axis(axis, op);
      if (reduced[d]) {
        throw new ShapeException(
            "[%s] axes must be distinct; got %s for shape %s"
                .formatted(op, Arrays.toString(axes), from));
      }
      reduced[d] = true;
    }
    long[] dims = from.extents();
    int count = 0;
    for (int d = 0; d < dims.length; d++) {
      if (reduced[d]) {
        dims[d] = 1;
        count++;
      }
    }
    long[] resolved = new long[count];
    for (int d = dims.length - 1; d >= 0; d--) {
      if (reduced[d]) {
        resolved[--count] = d;
      }
    }
    var reduce = new Reduce(kind, Longs.of(resolved), combine, identity);
    return new Computed<>(reduce, result, Shape.of(dims), input);
  }

  /** Reduction without the reduced axes. */
  static <T> Reduced<T> dropped(Expr<T> kept) {
    Shape from = kept.inputs().get(0).shape();
    return new Reduced<>(kept, ((Reduce) kept.operation()).dropped(from));
  }

  /** Result with the reduced axes dropped; {@code kept} has them with extent 1. */
  static <T> Reduced<T> dropped(Expr<T> kept, Expr<?> a, int... axes) {
    Expr<?> sum = kept(Reduction.Kind.SUM, a.dtype(), a, Optional.empty(), 0, axes);
    return new Reduced<>(kept, dropped(sum).shape());
  }

  static <T> Expr<T> meanKept(Expr<T> a, int... axes) {
    Expr<T> sum = sum(a, axes).keepDims();
    return sum.div(count(a, sum));
  }

  /** Number of elements that a reduction combines to one. */
  private static <T> Expr<T> count(Expr<T> a, Expr<T> reduced) {
    long from = a.shape().elements();
    long to = reduced.shape().elements();
    return UnknownDims.isKnown(from) && UnknownDims.isKnown(to)
        ? a.number((double) from / to)
        : a.number(UnknownDims.over(from, to));
  }

  /** Sum over axes, kept with extent 1, for a kernel over the same rows. */
  static <T> Expr<T> rowSum(Expr<T> a, int... axes) {
    Expr<T> sum = kept(Reduction.Kind.SUM, a.dtype(), a, Optional.empty(), 0, axes);
    return a.shape().elements() > SHORT_ROW * sum.shape().elements()
        ? sum
        : kept(Reduction.Kind.ROW_SUM, a.dtype(), a, Optional.empty(), 0, axes);
  }

  /**
   * Variance of the differences to the rounded mean. Differences to a value this close are exact,
   * and {@code rest}, the mean of the differences, is the rounding error of the mean. The final
   * subtraction is negative only through rounding, if all elements are nearly equal.
   *
   * <p>F32 accumulation suffices for {@code rest} of a short row. The differences are multiples of
   * an element's unit in the last place, so that their sum is exact if deviations are small
   * compared with the mean; otherwise {@code rest} is so small that its error is at most 1e-8 of
   * the variance.
   */
  static <T> Expr<T> varKept(Expr<T> a, int... axes) {
    Expr<T> shifted = a.minus(Apply.stopGradient(meanKept(a, axes)));
    Expr<T> squares = meanKept(shifted.times(shifted), axes);
    Expr<T> rest = rowSum(shifted, axes).div(count(a, squares));
    return Apply.binary(Op.MAX, squares.minus(rest.times(rest)), Scalars.literal(a.dtype(), 0));
  }

  /** Maximum, or 0 if the maximum is infinite, so that infinite elements do not become NaN. */
  static <T> Expr<T> finiteMax(Expr<T> a, int... axes) {
    Expr<T> high = reduce("max", Reduction.Kind.MAX, a, axes).keepDims();
    return Apply.select(Apply.isInfinite(high), Scalars.literal(a.dtype(), 0), high);
  }

  static <T> Expr<T> scan(String op, Kernel.Scan.Operator fold, Expr<T> a, int axis) {
    if (a.dtype() == (Object) BOOL.INSTANCE) {
      throw new ShapeException(
          "[" + op + "] operands must be numbers; got " + a.label() + "; cast first.");
    }
    boolean extreme = fold == Kernel.Scan.Operator.MAX || fold == Kernel.Scan.Operator.MIN;
    if (extreme && UnsignedOrder.isNeeded(a)) {
      return UnsignedOrder.restored(a, scan(op, fold, UnsignedOrder.of(a), axis));
    }
    return scan(a, new Scan(fold, a.shape().axis(axis, op), false, false));
  }

  static <T> Expr<T> scan(Expr<T> a, Scan scan) {
    return new Computed<>(scan, a.dtype(), a.shape(), a);
  }

  static <T> Reduced<T> fold(Expr<T> a, long identity, Lambda f, int... axes) {
    var lifted = Lifter.lift(f);
    if (!lifted.captured().isEmpty()) {
      throw new LambdaException(
          "[reduce] a reducing lambda must not capture values; got "
              + lifted.description()
              + "; use constants, or map before or after.");
    }
    return dropped(
        kept(Reduction.Kind.LAMBDA, a.dtype(), a, Optional.of(lifted.tape()), identity, axes));
  }
}
