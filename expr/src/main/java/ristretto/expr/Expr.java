package ristretto.expr;

import java.io.NotSerializableException;
import java.io.Serial;
import java.io.Serializable;
import java.util.List;
import java.util.OptionalLong;
import ristretto.expr.form.Form;
import ristretto.expr.graph.Forms;
import ristretto.expr.graph.FormulaText;
import ristretto.expr.graph.Operation;
import ristretto.expr.graph.OperationCount;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.graph.Traversal;
import ristretto.expr.graph.View;
import ristretto.expr.graph.Views;
import ristretto.expr.index.ViewOp;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.DType;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;
import ristretto.expr.type.Value;
import ristretto.kernels.ShapeException;
import ristretto.kernels.ir.Longs;
import ristretto.kernels.scalar.Op;

/**
 * Lazily evaluated tensor expression. {@link Context#assign} evaluates an expression into memory
 * and fuses as many operations as possible into one kernel. Expressions are immutable and may be
 * shared by any number of other expressions. There are two kinds: an {@link RExpr} computes each
 * element from elements of its inputs and is inlined into the kernels of its readers; an {@link
 * LExpr} (matrix product, reduction, sort) writes its result to memory.
 *
 * <p>Binary operations are element-wise, broadcast by NumPy's rule and need equal dtypes: there are
 * no implicit casts, but {@link Ops#promote}. Overloads with Java numbers convert the number to the
 * other operand's dtype; for integers and BOOL the number must be whole. Kernels take such numbers
 * as launch scalars, so that another number needs no new kernel.
 *
 * <p>Axes are counted from 0, negative ones from the end: -1 is the last. Operands whose shapes or
 * dtypes do not fit throw a {@link ristretto.kernels.ShapeException} when the expression is built,
 * not when the expression is evaluated.
 *
 * @param <T> the dtype
 */
@SuppressWarnings("serial") // is never written
public abstract sealed class Expr<T> extends Term implements Value<T>, Serializable
    permits RExpr, LExpr, Computed, Reduced, Tensor {
  private static final int LONGEST_TEXT = 160;

  Expr(Operation operation, DType<T> dtype, Shape shape, List<? extends Expr<?>> inputs) {
    super(operation, dtype, shape, inputs);
  }

  @Override
  @SuppressWarnings("unchecked")
  public final DType<T> dtype() {
    return (DType<T>) super.dtype();
  }

  /**
   * Refuses Java serialization: an expression reads memory of a device that belongs to this
   * process.
   */
  @Serial
  protected final Object writeReplace() throws NotSerializableException {
    throw new NotSerializableException(
        "[serialize] tensors and expressions must stay in their process, which has the device's"
            + " memory; got "
            + dtype()
            + shape()
            + "; send bytes: ctx.saveAll(stream, SAFETENSORS, Map.of(name, tensor)) here and"
            + " ctx.loadAll(stream) there");
  }

  /** Operands of this expression. */
  @SuppressWarnings("unchecked")
  public final List<Expr<?>> inputs() {
    return (List<Expr<?>>) (List<?>) operands();
  }

  /** Description of this operation for translators to other formats, such as ONNX. */
  public final Form form() {
    return Forms.of(this);
  }

  /**
   * Floating-point operations of this operation alone, with given operands: one per element for
   * each arithmetic operation or function, one per reduced element, 2 m n k for a matrix product.
   * Comparisons, selections, conversions and integer arithmetic count as none. Empty if unknown, as
   * for user-defined operators.
   */
  public final OptionalLong operationCount() {
    return OperationCount.of(this);
  }

  // Arithmetic

  /** Element-wise sum; integers wrap. */
  public final Expr<T> plus(Expr<T> b) {
    return Apply.binary(Op.ADD, this, b);
  }

  /** Adds a number to each element; integers wrap. */
  public final Expr<T> plus(double b) {
    return plus(number(b));
  }

  /** Adds a number to each element; integers wrap. */
  public final Expr<T> plus(long b) {
    return plus(number(b));
  }

  /** Element-wise difference; integers wrap. */
  public final Expr<T> minus(Expr<T> b) {
    return Apply.binary(Op.SUB, this, b);
  }

  /** Subtracts a number from each element; integers wrap. */
  public final Expr<T> minus(double b) {
    return minus(number(b));
  }

  /** Subtracts a number from each element; integers wrap. */
  public final Expr<T> minus(long b) {
    return minus(number(b));
  }

  /** Element-wise product; integers wrap. The matrix product is {@link Ops#dot}. */
  public final Expr<T> times(Expr<T> b) {
    return Apply.binary(Op.MUL, this, b);
  }

  /** Multiplies each element by a number; integers wrap. */
  public final Expr<T> times(double b) {
    return times(number(b));
  }

  /** Multiplies each element by a number; integers wrap. */
  public final Expr<T> times(long b) {
    return times(number(b));
  }

  /**
   * Element-wise quotient; integers truncate towards zero and give 0 for a divisor of 0. {@link
   * Ops#floorDiv} is NumPy's //.
   */
  public final Expr<T> div(Expr<T> b) {
    return Apply.binary(Op.DIV, this, b);
  }

  /**
   * Divides each element by a number; integers truncate towards zero and give 0 for a divisor of 0.
   */
  public final Expr<T> div(double b) {
    return div(number(b));
  }

  /**
   * Divides each element by a number; integers truncate towards zero and give 0 for a divisor of 0.
   */
  public final Expr<T> div(long b) {
    return div(number(b));
  }

  /**
   * Element-wise remainder with the sign of the dividend (Java's %, C's fmod); integers give 0 for
   * a divisor of 0. {@link Ops#floorMod} is NumPy's %.
   */
  public final Expr<T> rem(Expr<T> b) {
    return Apply.binary(Op.REM, this, b);
  }

  /**
   * Remainder of each element by a number, with the sign of the element; integers give 0 for a
   * divisor of 0.
   */
  public final Expr<T> rem(double b) {
    return rem(number(b));
  }

  /**
   * Remainder of each element by a number, with the sign of the element; integers give 0 for a
   * divisor of 0.
   */
  public final Expr<T> rem(long b) {
    return rem(number(b));
  }

  /** Element-wise negation; the lowest integer wraps to itself. */
  public final Expr<T> neg() {
    return Apply.unary(Op.NEG, this);
  }

  /** Element-wise power; see {@link Ops#pow(Expr, Expr)}. */
  public final Expr<T> pow(Expr<T> b) {
    return Apply.power(this, b);
  }

  /** Raises each element to a power; see {@link Ops#pow(Expr, double)}. */
  public final Expr<T> pow(double b) {
    return Apply.power(this, b);
  }

  // Comparison

  /** True where this is below {@code b}; false where either is NaN. Numbers only. */
  public final Expr<BOOL> lt(Expr<T> b) {
    return Apply.compare(Op.LT, this, b);
  }

  /** True where an element is below {@code b}; false for NaN. Numbers only. */
  public final Expr<BOOL> lt(double b) {
    return compare(Op.LT, b);
  }

  /** True where an element is below {@code b}; false for NaN. Numbers only. */
  public final Expr<BOOL> lt(long b) {
    return compare(Op.LT, b);
  }

  /** True where this is at most {@code b}; false where either is NaN. Numbers only. */
  public final Expr<BOOL> le(Expr<T> b) {
    return Apply.compare(Op.LE, this, b);
  }

  /** True where an element is at most {@code b}; false for NaN. Numbers only. */
  public final Expr<BOOL> le(double b) {
    return compare(Op.LE, b);
  }

  /** True where an element is at most {@code b}; false for NaN. Numbers only. */
  public final Expr<BOOL> le(long b) {
    return compare(Op.LE, b);
  }

  /** True where this is above {@code b}; false where either is NaN. Numbers only. */
  public final Expr<BOOL> gt(Expr<T> b) {
    return Apply.compare(Op.GT, this, b);
  }

  /** True where an element is above {@code b}; false for NaN. Numbers only. */
  public final Expr<BOOL> gt(double b) {
    return compare(Op.GT, b);
  }

  /** True where an element is above {@code b}; false for NaN. Numbers only. */
  public final Expr<BOOL> gt(long b) {
    return compare(Op.GT, b);
  }

  /** True where this is at least {@code b}; false where either is NaN. Numbers only. */
  public final Expr<BOOL> ge(Expr<T> b) {
    return Apply.compare(Op.GE, this, b);
  }

  /** True where an element is at least {@code b}; false for NaN. Numbers only. */
  public final Expr<BOOL> ge(double b) {
    return compare(Op.GE, b);
  }

  /** True where an element is at least {@code b}; false for NaN. Numbers only. */
  public final Expr<BOOL> ge(long b) {
    return compare(Op.GE, b);
  }

  /** True where both elements are equal: 0 equals -0, and NaN equals nothing. */
  public final Expr<BOOL> eq(Expr<T> b) {
    return Apply.compare(Op.EQ, this, b);
  }

  /** True where an element equals {@code b}: 0 equals -0, and NaN equals nothing. */
  public final Expr<BOOL> eq(double b) {
    return compare(Op.EQ, b);
  }

  /** True where an element equals {@code b}: 0 equals -0, and NaN equals nothing. */
  public final Expr<BOOL> eq(long b) {
    return compare(Op.EQ, b);
  }

  /** True where the elements differ, or either is NaN. */
  public final Expr<BOOL> ne(Expr<T> b) {
    return Apply.compare(Op.NE, this, b);
  }

  /** True where an element differs from {@code b} or is NaN. */
  public final Expr<BOOL> ne(double b) {
    return compare(Op.NE, b);
  }

  /** True where an element differs from {@code b} or is NaN. */
  public final Expr<BOOL> ne(long b) {
    return compare(Op.NE, b);
  }

  private Expr<BOOL> compare(Op op, double b) {
    return Scalars.isBeyond(dtype(), b) ? beyond(op, b > 0) : Apply.compare(op, this, number(b));
  }

  private Expr<BOOL> compare(Op op, long b) {
    return dtype().holds(b) ? Apply.compare(op, this, number(b)) : beyond(op, b > 0);
  }

  /** Comparison with a number that is above or below all values of the dtype. */
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

  /** Logical and of BOOL, bitwise and of integers, of each element with a number. */
  public final Expr<T> and(long b) {
    return and(number(b));
  }

  /** Logical or of BOOL, bitwise or of integers. */
  public final Expr<T> or(Expr<T> b) {
    return Apply.binary(Op.OR, this, b);
  }

  /** Logical or of BOOL, bitwise or of integers, of each element with a number. */
  public final Expr<T> or(long b) {
    return or(number(b));
  }

  /** Logical exclusive or of BOOL, bitwise of integers. */
  public final Expr<T> xor(Expr<T> b) {
    return Apply.binary(Op.XOR, this, b);
  }

  /** Logical exclusive or of BOOL, bitwise of integers, of each element with a number. */
  public final Expr<T> xor(long b) {
    return xor(number(b));
  }

  /** Logical not of BOOL, bitwise complement of integers. */
  public final Expr<T> not() {
    return Apply.unary(
        dtype().scalar() == ristretto.kernels.scalar.ScalarType.BOOL ? Op.NOT : Op.BITNOT, this);
  }

  /**
   * Shifts integers left. Only the lowest 5 bits of the count matter (6 for I64, U32 and U64), as
   * in Java; NumPy gives 0 for larger counts.
   */
  public final Expr<T> shiftLeft(Expr<T> count) {
    return Apply.binary(Op.SHL, this, count);
  }

  /** Shifts integers left by a number of bits; see {@link #shiftLeft(Expr)} for large counts. */
  public final Expr<T> shiftLeft(long count) {
    return shiftLeft(number(count));
  }

  /**
   * Shifts integers right, signed ones with sign extension; see {@link #shiftLeft(Expr)} for large
   * counts.
   */
  public final Expr<T> shiftRight(Expr<T> count) {
    return Apply.binary(Op.SHR, this, count);
  }

  /**
   * Shifts integers right by a number of bits, signed ones with sign extension; see {@link
   * #shiftLeft(Expr)} for large counts.
   */
  public final Expr<T> shiftRight(long count) {
    return shiftRight(number(count));
  }

  /**
   * Converts elements to another dtype. A cast to BOOL means {@code != 0}. Floats become integers
   * by truncation and saturate (NaN gives 0); integers wrap; casts of floats to I8 and U8 go
   * through I32 and then wrap, so that 300.0 becomes 44. Casts to F16 and BF16 round F32 to the
   * nearest, ties to even, and convert F64, I64, U32 and U64 to F32 first. (NumPy's result for
   * floats outside the range of an integer depends on the machine.)
   */
  public final <R> Expr<R> cast(DType<R> to) {
    return Apply.cast(this, to);
  }

  // Views

  /**
   * Row-major elements in another shape; one extent may be -1 and is inferred from the number of
   * elements. The reshape of a {@link Tensor} is a view if strides can express it, otherwise a
   * copy.
   */
  public Expr<T> reshape(long... dims) {
    Shape to = Views.reshape(shape(), dims);
    return view(new ViewOp.Reshape(to.longs()));
  }

  /** View with all axes reversed: {@code a[m,n] -> [n,m]}. */
  public Expr<T> t() {
    int[] axes = new int[shape().rank()];
    for (int d = 0; d < axes.length; d++) {
      axes[d] = axes.length - 1 - d;
    }
    return permute(axes);
  }

  /**
   * View with the axes in another order: new axis d is old axis {@code axes[d]}. Each axis must be
   * named once.
   */
  public Expr<T> permute(int... axes) {
    return view(Views.permute(shape(), axes));
  }

  /**
   * Broadcasts to the given extents: repeats axes of extent 1 and adds leading axes; -1 keeps an
   * extent. No element is copied.
   */
  public Expr<T> expand(long... dims) {
    return view(Views.expand(shape(), dims));
  }

  /** Drops the named axes, which must have extent 1, or all axes of extent 1 if none is named. */
  public Expr<T> squeeze(int... axes) {
    return view(new ViewOp.Reshape(Views.squeeze(shape(), axes).longs()));
  }

  /** Inserts an axis of extent 1 that becomes axis {@code axis} of the result. */
  public Expr<T> unsqueeze(int axis) {
    return view(new ViewOp.Reshape(Views.unsqueeze(shape(), axis).longs()));
  }

  /** Reverses the named axes, or all axes if none is named. */
  public Expr<T> flip(int... axes) {
    return view(Views.flip(shape(), axes));
  }

  /**
   * NumPy's basic indexing with one slice per axis, trailing axes whole by default: {@code
   * slice(all(), range(0, 10), range(10, 0, -2), at(3))}. Negative positions count from the end.
   * Ranges are clipped to the axis; a single position outside of the axis is an error.
   */
  public Expr<T> slice(Slice... slices) {
    Views.Sliced sliced = Views.slice(shape(), slices);
    Expr<T> stepped = view(sliced.step());
    return sliced.shape().equals(stepped.shape())
        ? stepped
        : stepped.view(new ViewOp.Reshape(sliced.shape().longs()));
  }

  /** Exchanges two axes. */
  public Expr<T> swapAxes(int a, int b) {
    int x = shape().axis(a, "swapAxes");
    int y = shape().axis(b, "swapAxes");
    int[] axes = new int[shape().rank()];
    for (int d = 0; d < axes.length; d++) {
      axes[d] = d == x ? y : d == y ? x : d;
    }
    return permute(axes);
  }

  /** Reshapes to one dimension, row-major. */
  public Expr<T> flatten() {
    return reshape(shape().elements());
  }

  // Values

  /**
   * Evaluates this expression into a new tensor, in the context of the tensors within: {@code
   * ctx.eval(e)}.
   *
   * @throws ShapeException if there is no tensor within, or tensors of two contexts; {@link
   *     Context#eval} takes the context from the caller
   */
  public final Tensor<T> eval() {
    return home().eval(this);
  }

  /**
   * Evaluates this expression of one element; 0 or 1 for BOOL. An I64 beyond 53 bits is rounded;
   * {@link #toLongArray} is exact.
   *
   * @throws ShapeException if the number of elements is not one, or as {@link #eval}
   */
  public double item() {
    Tensor.requireItem(this);
    return eval().item();
  }

  /**
   * Evaluates this expression and copies the elements to a Java array, row-major; the dtype must be
   * F32. Errors as in {@link #eval}.
   */
  public float[] toFloatArray() {
    return eval().toFloatArray();
  }

  /**
   * Evaluates this expression and copies the elements to a Java array, row-major; the dtype must be
   * F64. Errors as in {@link #eval}.
   */
  public double[] toDoubleArray() {
    return eval().toDoubleArray();
  }

  /**
   * Evaluates this expression and copies the elements to a Java array, row-major; the dtype must be
   * I32. Errors as in {@link #eval}.
   */
  public int[] toIntArray() {
    return eval().toIntArray();
  }

  /**
   * Evaluates this expression and copies the elements to a Java array, row-major; the dtype must be
   * I64. Errors as in {@link #eval}.
   */
  public long[] toLongArray() {
    return eval().toLongArray();
  }

  /**
   * Evaluates this expression and copies the elements to a Java array, row-major; the dtype must be
   * BOOL. Errors as in {@link #eval}.
   */
  public boolean[] toBooleanArray() {
    return eval().toBooleanArray();
  }

  /** Evaluates this expression and prints dtype, shape and values to standard output. */
  public void print() {
    eval().print();
  }

  /** Text with dtype, shape and formula; long formulas are truncated. Evaluates nothing. */
  @Override
  public String toString() {
    String text = label() + ": " + new FormulaText(StorageView::label).of(this);
    return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT - 3) + "...";
  }

  /** Context of all tensors within this expression. */
  private Context home() {
    Context found = null;
    for (StorageView leaf : Traversal.leaves(this)) {
      Context own = ((Session) leaf.storage().owner()).context();
      if (found != null && found != own) {
        throw new ShapeException(
            ("[eval] the tensors within an expression must belong to one context; got %s with"
                    + " tensors of two; copy one over with ctx.tensor(other.toFloatArray(), ...).")
                .formatted(label()));
      }
      found = own;
    }
    if (found == null) {
      throw new ShapeException(
          ("[eval] an expression must contain a tensor, whose context evaluates it; got %s without"
                  + " one; use ctx.eval(e), as in ctx.eval(e).toFloatArray().")
              .formatted(label()));
    }
    return found;
  }

  Expr<T> view(ViewOp op) {
    return view(this, op);
  }

  /** View of an expression that is itself an expression, for tensors too. */
  static <T> Expr<T> view(Expr<T> of, ViewOp op) {
    return new Computed<>(new View(op), of.dtype(), Shape.of(op.dims()), of);
  }

  /** Converts a Java number to a launch scalar of this dtype. */
  final Expr<T> number(double v) {
    return Scalars.number(dtype(), v);
  }

  final Expr<T> number(long v) {
    return Scalars.number(dtype(), v);
  }

  /** Error of an expression whose gradient is needed and does not exist. */
  final ShapeException noDerivative() {
    return new ShapeException(
        ("[gradient] each operation between y and the input must have a derivative; got %s of %s;"
                + " override gradients(dy) in %s, or stop there with stopGradient.")
            .formatted(
                name(),
                label(),
                (this instanceof Computed ? operation().getClass() : getClass()).getSimpleName()));
  }

  static Shape broadcast(String op, Expr<?> a, Expr<?> b) {
    Shape shape = Shape.broadcast(a.shape(), b.shape());
    if (shape == null) {
      throw new ShapeException(
          "[%s] shapes must broadcast; got a %s, b %s; %s. Reshape one of them."
              .formatted(op, a.label(), b.label(), mismatch(a.shape(), b.shape())));
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

  static Longs longs(long... v) {
    return Longs.of(v);
  }
}
