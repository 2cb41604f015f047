package ristretto.expr;

import java.util.List;
import ristretto.kernels.ShapeException;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.Op;

/**
 * A tensor expression: what to compute, not yet computed. {@link Context#assign} evaluates it into
 * memory, fusing as much as it can into one kernel. Immutable; may be used any number of times, in
 * any number of expressions. There are two kinds: an {@link RExpr} gives each element as a function
 * of elements of its inputs and is inlined into the kernel of whoever reads it; an {@link LExpr}
 * (matrix product, reduction, sort) writes memory.
 *
 * <p>Binary operations work element by element, broadcast by NumPy's rule and need equal dtypes:
 * nothing is cast unasked. They also take Java numbers, which become the other operand's dtype and
 * must be whole where that is an integer or BOOL. A changed number is no new kernel.
 *
 * <p>Axes are counted from 0, negative ones from the end: -1 is the last. Operands that do not fit
 * are a {@link ristretto.kernels.ShapeException} when the expression is built, not when it runs.
 *
 * @param <T> the dtype
 */
public abstract sealed class Expr<T> implements Value<T>, Cloneable permits RExpr, LExpr {
  private final DType<T> dtype;
  private final Shape shape;
  private List<Expr<?>> inputs;
  private final int depth;

  /**
   * Spreads expressions over hash tables; an unguarded counter, because equal numbers do no harm.
   */
  private final int spread = nextSpread += 0x9E3779B9;

  private static int nextSpread;

  /** How the last assignment of this expression was done, to do it again without planning. */
  private Replay replay;

  Expr(DType<T> dtype, Shape shape, List<? extends Expr<?>> inputs) {
    this.dtype = dtype;
    this.shape = shape;
    this.inputs = List.copyOf(inputs);
    int deepest = 0;
    for (Expr<?> input : this.inputs) {
      deepest = Math.max(deepest, input.depth);
    }
    this.depth = deepest + 1;
  }

  @Override
  public final DType<T> dtype() {
    return dtype;
  }

  @Override
  public final Shape shape() {
    return shape;
  }

  /** What this expression is computed from. */
  public final List<Expr<?>> inputs() {
    return inputs;
  }

  /** The same operation on other inputs of the same dtypes and shapes. */
  final Expr<T> withInputs(List<Expr<?>> others) {
    try {
      @SuppressWarnings("unchecked")
      var copy = (Expr<T>) clone();
      ((Expr<?>) copy).inputs = List.copyOf(others);
      ((Expr<?>) copy).replay = null;
      return copy;
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }

  final int depth() {
    return depth;
  }

  final int spread() {
    return spread;
  }

  final Replay replay() {
    return replay;
  }

  final void replay(Replay r) {
    replay = r;
  }

  /**
   * Everything that the computed values depend on besides the inputs, the dtype, the shape and
   * launch scalars: an object with value equality. Two expressions of equal keys and equal inputs
   * share compiled kernels.
   */
  protected abstract Object key();

  /** What the inputs are weighted with; see {@link RExpr#gradients} and {@link LExpr#gradients}. */
  protected abstract List<Expr<?>> gradients(Expr<T> dy);

  /**
   * Announces numbers that may differ from one use to the next without a new kernel; {@link
   * Reads#number} reads them. Their count and dtypes must depend on {@link #key()} only.
   */
  protected void scalars(ScalarSink sink) {}

  /** What it computes, for those who translate it into something else than kernels. */
  public final Form form() {
    return Forms.of(this);
  }

  // Arithmetic

  /** Sum; integers wrap. */
  public final Expr<T> plus(Expr<T> b) {
    return Apply.binary(Op.ADD, this, b);
  }

  /** As {@link #plus(Expr)}, with a number. */
  public final Expr<T> plus(double b) {
    return plus(number(b));
  }

  /** As {@link #plus(Expr)}, with a number. */
  public final Expr<T> plus(long b) {
    return plus(number(b));
  }

  /** Difference; integers wrap. */
  public final Expr<T> minus(Expr<T> b) {
    return Apply.binary(Op.SUB, this, b);
  }

  /** As {@link #minus(Expr)}, with a number. */
  public final Expr<T> minus(double b) {
    return minus(number(b));
  }

  /** As {@link #minus(Expr)}, with a number. */
  public final Expr<T> minus(long b) {
    return minus(number(b));
  }

  /** Product, element by element (matrices: {@link Ops#dot}); integers wrap. */
  public final Expr<T> times(Expr<T> b) {
    return Apply.binary(Op.MUL, this, b);
  }

  /** As {@link #times(Expr)}, with a number. */
  public final Expr<T> times(double b) {
    return times(number(b));
  }

  /** As {@link #times(Expr)}, with a number. */
  public final Expr<T> times(long b) {
    return times(number(b));
  }

  /**
   * Quotient; integers truncate towards zero and give 0 for a divisor of 0. {@link Ops#floorDiv} is
   * NumPy's //.
   */
  public final Expr<T> div(Expr<T> b) {
    return Apply.binary(Op.DIV, this, b);
  }

  /** As {@link #div(Expr)}, with a number. */
  public final Expr<T> div(double b) {
    return div(number(b));
  }

  /** As {@link #div(Expr)}, with a number. */
  public final Expr<T> div(long b) {
    return div(number(b));
  }

  /**
   * Remainder with the sign of the dividend (Java's %, C's fmod); of integers by 0 it is 0. {@link
   * Ops#floorMod} is NumPy's %.
   */
  public final Expr<T> rem(Expr<T> b) {
    return Apply.binary(Op.REM, this, b);
  }

  /** As {@link #rem(Expr)}, with a number. */
  public final Expr<T> rem(double b) {
    return rem(number(b));
  }

  /** As {@link #rem(Expr)}, with a number. */
  public final Expr<T> rem(long b) {
    return rem(number(b));
  }

  /** Negation; the lowest integer stays as it is. */
  public final Expr<T> neg() {
    return Apply.unary(Op.NEG, this);
  }

  /** Power; see {@link Ops#pow(Expr, Expr)}. */
  public final Expr<T> pow(Expr<T> b) {
    return Ops.pow(this, b);
  }

  /** Power with a number; see {@link Ops#pow(Expr, double)}. */
  public final Expr<T> pow(double b) {
    return Ops.pow(this, b);
  }

  // Comparison

  /** True where this is below {@code b}; false where either is NaN. Numbers only. */
  public final Expr<BOOL> lt(Expr<T> b) {
    return Apply.compare(Op.LT, this, b);
  }

  /** As {@link #lt(Expr)}, with a number. */
  public final Expr<BOOL> lt(double b) {
    return compare(Op.LT, b);
  }

  /** As {@link #lt(Expr)}, with a number. */
  public final Expr<BOOL> lt(long b) {
    return compare(Op.LT, b);
  }

  /** True where this is at most {@code b}; false where either is NaN. Numbers only. */
  public final Expr<BOOL> le(Expr<T> b) {
    return Apply.compare(Op.LE, this, b);
  }

  /** As {@link #le(Expr)}, with a number. */
  public final Expr<BOOL> le(double b) {
    return compare(Op.LE, b);
  }

  /** As {@link #le(Expr)}, with a number. */
  public final Expr<BOOL> le(long b) {
    return compare(Op.LE, b);
  }

  /** True where this is above {@code b}; false where either is NaN. Numbers only. */
  public final Expr<BOOL> gt(Expr<T> b) {
    return Apply.compare(Op.GT, this, b);
  }

  /** As {@link #gt(Expr)}, with a number. */
  public final Expr<BOOL> gt(double b) {
    return compare(Op.GT, b);
  }

  /** As {@link #gt(Expr)}, with a number. */
  public final Expr<BOOL> gt(long b) {
    return compare(Op.GT, b);
  }

  /** True where this is at least {@code b}; false where either is NaN. Numbers only. */
  public final Expr<BOOL> ge(Expr<T> b) {
    return Apply.compare(Op.GE, this, b);
  }

  /** As {@link #ge(Expr)}, with a number. */
  public final Expr<BOOL> ge(double b) {
    return compare(Op.GE, b);
  }

  /** As {@link #ge(Expr)}, with a number. */
  public final Expr<BOOL> ge(long b) {
    return compare(Op.GE, b);
  }

  /** True where both are equal: 0 equals -0, and NaN equals nothing. */
  public final Expr<BOOL> eq(Expr<T> b) {
    return Apply.compare(Op.EQ, this, b);
  }

  /** As {@link #eq(Expr)}, with a number. */
  public final Expr<BOOL> eq(double b) {
    return compare(Op.EQ, b);
  }

  /** As {@link #eq(Expr)}, with a number. */
  public final Expr<BOOL> eq(long b) {
    return compare(Op.EQ, b);
  }

  /** True where both differ, or either is NaN. */
  public final Expr<BOOL> ne(Expr<T> b) {
    return Apply.compare(Op.NE, this, b);
  }

  /** As {@link #ne(Expr)}, with a number. */
  public final Expr<BOOL> ne(double b) {
    return compare(Op.NE, b);
  }

  /** As {@link #ne(Expr)}, with a number. */
  public final Expr<BOOL> ne(long b) {
    return compare(Op.NE, b);
  }

  private Expr<BOOL> compare(Op op, double b) {
    return Scalars.isBeyond(dtype, b) ? beyond(op, b > 0) : Apply.compare(op, this, number(b));
  }

  private Expr<BOOL> compare(Op op, long b) {
    return dtype.holds(b) ? Apply.compare(op, this, number(b)) : beyond(op, b > 0);
  }

  /** Comparison with a number above or below all that the dtype has. */
  private Expr<BOOL> beyond(Op op, boolean above) {
    boolean always =
        switch (op) {
          case LT, LE -> above;
          case GT, GE -> !above;
          default -> op == Op.NE;
        };
    return Apply.compare(always ? Op.EQ : Op.NE, this, this);
  }

  // Logic and bits

  /** Logical and of BOOL, bitwise and of integers. */
  public final Expr<T> and(Expr<T> b) {
    return Apply.binary(Op.AND, this, b);
  }

  /** As {@link #and(Expr)}, with a number. */
  public final Expr<T> and(long b) {
    return and(number(b));
  }

  /** Logical or of BOOL, bitwise or of integers. */
  public final Expr<T> or(Expr<T> b) {
    return Apply.binary(Op.OR, this, b);
  }

  /** As {@link #or(Expr)}, with a number. */
  public final Expr<T> or(long b) {
    return or(number(b));
  }

  /** Logical exclusive or of BOOL, bitwise of integers. */
  public final Expr<T> xor(Expr<T> b) {
    return Apply.binary(Op.XOR, this, b);
  }

  /** As {@link #xor(Expr)}, with a number. */
  public final Expr<T> xor(long b) {
    return xor(number(b));
  }

  /** Logical not of BOOL, bitwise complement of integers. */
  public final Expr<T> not() {
    return Apply.unary(
        dtype.scalar() == ristretto.kernels.scalar.ScalarType.BOOL ? Op.NOT : Op.BITNOT, this);
  }

  /**
   * Integers shifted left. As in Java, only the lowest 5 bits of the count matter (6 of I64's),
   * where NumPy gives 0 for larger ones.
   */
  public final Expr<T> shiftLeft(Expr<T> count) {
    return Apply.binary(Op.SHL, this, count);
  }

  /** As {@link #shiftLeft(Expr)}, with a number. */
  public final Expr<T> shiftLeft(long count) {
    return shiftLeft(number(count));
  }

  /** Integers shifted right, the sign filling up; counts as in {@link #shiftLeft(Expr)}. */
  public final Expr<T> shiftRight(Expr<T> count) {
    return Apply.binary(Op.SHR, this, count);
  }

  /** As {@link #shiftRight(Expr)}, with a number. */
  public final Expr<T> shiftRight(long count) {
    return shiftRight(number(count));
  }

  /**
   * Conversion. To BOOL it means {@code != 0}. Floats become integers by truncation and saturate
   * (NaN gives 0); integers wrap; to I8 and U8 goes by way of I32, which wraps, so that 300.0
   * becomes 44. To F16 and BF16 rounds F32 to the nearest, ties to even, and F64 and I64 to F32
   * first. (What NumPy does with floats outside the range of an integer depends on the machine.)
   */
  public final <R> Expr<R> cast(DType<R> to) {
    return Apply.cast(this, to);
  }

  // Views

  /**
   * Row-major elements under other extents, of which one may be -1: it becomes what is left. Of a
   * {@link Tensor} it is a view where strides can express it; see there.
   */
  public Expr<T> reshape(long... dims) {
    Shape to = Views.reshape(shape, dims);
    return view(new ViewOp.Reshape(to.longs()));
  }

  /** All axes reversed: the transpose of a matrix. */
  public Expr<T> t() {
    int[] axes = new int[shape.rank()];
    for (int d = 0; d < axes.length; d++) {
      axes[d] = axes.length - 1 - d;
    }
    return permute(axes);
  }

  /** Axes in another order: new axis d is old axis {@code axes[d]}. Each must be named once. */
  public Expr<T> permute(int... axes) {
    return view(Views.permute(shape, axes));
  }

  /**
   * Broadcasts: repeats axes of extent 1 and adds leading axes; -1 keeps an extent. No element is
   * copied.
   */
  public Expr<T> expand(long... dims) {
    return view(Views.expand(shape, dims));
  }

  /** Drops axes of extent 1, all of them if none is named. */
  public Expr<T> squeeze(int... axes) {
    return view(new ViewOp.Reshape(Views.squeeze(shape, axes).longs()));
  }

  /** Inserts an axis of extent 1 that becomes axis {@code axis} of the result. */
  public Expr<T> unsqueeze(int axis) {
    return view(new ViewOp.Reshape(Views.unsqueeze(shape, axis).longs()));
  }

  /** Reverses the named axes, all of them if none is named. */
  public Expr<T> flip(int... axes) {
    return view(Views.flip(shape, axes));
  }

  /**
   * NumPy's basic indexing, one slice an axis, the axes without one whole: {@code slice(all(),
   * range(0, 10), range(10, 0, -2), at(3))}. Negative positions count from the end; ranges are
   * clipped to the axis, but a position outside of it is an error.
   */
  public Expr<T> slice(Slice... slices) {
    Views.Sliced sliced = Views.slice(shape, slices);
    Expr<T> stepped = view(sliced.step());
    return sliced.shape().equals(stepped.shape())
        ? stepped
        : stepped.view(new ViewOp.Reshape(sliced.shape().longs()));
  }

  /** Exchanges two axes. */
  public Expr<T> swapAxes(int a, int b) {
    int x = shape.axis(a, "swapAxes");
    int y = shape.axis(b, "swapAxes");
    int[] axes = new int[shape.rank()];
    for (int d = 0; d < axes.length; d++) {
      axes[d] = d == x ? y : d == y ? x : d;
    }
    return permute(axes);
  }

  /** All elements in one dimension, row-major. */
  public Expr<T> flatten() {
    return reshape(shape.size());
  }

  Expr<T> view(ViewOp op) {
    return new View<>(this, op);
  }

  /** A Java number as a launch scalar of this dtype. */
  final Expr<T> number(double v) {
    return Scalars.number(dtype, v);
  }

  final Expr<T> number(long v) {
    return Scalars.number(dtype, v);
  }

  /** Dtype and shape, as messages print operands: {@code f32[2,3]}. */
  final String label() {
    return dtype + shape.toString();
  }

  static Shape broadcast(String op, Expr<?> a, Expr<?> b) {
    Shape shape = Shape.broadcast(a.shape(), b.shape());
    if (shape == null) {
      throw new ShapeException(
          "["
              + op
              + "] shapes must broadcast; got a "
              + a.label()
              + ", b "
              + b.label()
              + "; "
              + mismatch(a.shape(), b.shape())
              + ". Reshape one of them.");
    }
    return shape;
  }

  private static String mismatch(Shape a, Shape b) {
    for (int i = 1; i <= Math.min(a.rank(), b.rank()); i++) {
      long x = a.at(a.rank() - i);
      long y = b.at(b.rank() - i);
      if (x != y && x != 1 && y != 1) {
        return (i == 1 ? "last axis" : "axis -" + i) + ": " + x + " vs " + y;
      }
    }
    return "";
  }

  /** The operation as explanations print it. */
  @Override
  public String toString() {
    return getClass().getSimpleName() + " " + label();
  }

  static Longs longs(long... v) {
    return Longs.of(v);
  }
}
