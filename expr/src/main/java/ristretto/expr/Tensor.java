package ristretto.expr;

import java.util.List;
import ristretto.expr.graph.Formula.Copy;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.index.IndexMap;
import ristretto.expr.index.ViewOp;
import ristretto.expr.memory.Storage;
import ristretto.expr.option.PrintOptions;
import ristretto.expr.type.DType;
import ristretto.expr.type.LValue;
import ristretto.expr.type.Layout;
import ristretto.expr.type.RValue;
import ristretto.expr.type.Slice;
import ristretto.kernels.ShapeException;

/**
 * Elements in device memory, readable as an expression and assignable as a target; created by
 * {@link Context}. Views ({@code t}, {@code slice}, {@code permute}, ...) are tensors over the same
 * memory and may be assigned to. A reshape that strides cannot express, such as that of a
 * transposed tensor, reads as a copy of the current values and cannot be assigned to. Memory is
 * freed once no tensor over it is reachable, at the latest when the context closes.
 *
 * <p>Reading elements waits for the launches that write them. Using a tensor of a closed context
 * throws a {@link ristretto.kernels.ClosedException}.
 *
 * @param <T> the dtype
 */
public final class Tensor<T> extends Expr<T> implements LValue<T>, RValue<T> {
  /** Tensor that this view reads; null if this tensor is not a view. */
  private final Tensor<T> base;

  Tensor(DType<T> dtype, StorageView memory) {
    this(dtype, memory, null);
  }

  private Tensor(DType<T> dtype, StorageView memory, Tensor<T> base) {
    super(memory, dtype, memory.shape(), List.of());
    this.base = base;
  }

  /**
   * Reshape that no layout expresses; reads as a copy of the current values and cannot be assigned
   * to.
   */
  private Tensor(Expr<T> copied) {
    super(new Copy(), copied.dtype(), copied.shape(), List.of(copied));
    this.base = null;
  }

  Storage storage() {
    Term e = this;
    while (e.memory() == null) {
      e = e.operand(0);
    }
    return e.memory().storage();
  }

  @Override
  public Layout layout() {
    StorageView memory = memory();
    return memory == null ? Layout.contiguous(shape()) : new Layout(memory.map());
  }

  /** Returns true if this tensor and another may have an element of memory in common. */
  boolean mayOverlap(Tensor<?> other) {
    return memory().mayOverlap(other.memory());
  }

  /** Returns true for a reshape that cannot be a view. */
  boolean isCopy() {
    return memory() == null;
  }

  /** Requires that an expression can be assigned: dtype, shape, layout and context. */
  void requireAssignable(Context context, Expr<?> expr) {
    if (dtype() != (Object) expr.dtype()) {
      throw new ShapeException(
          "[assign] dtypes must be equal; got target %s, expression %s; cast the expression."
              .formatted(label(), expr.label()));
    }
    if (!expr.shape().expandsTo(shape())) {
      throw new ShapeException(
          ("[assign] the expression must broadcast to the target; got target %s, expression %s."
                  + " Reshape one of them.")
              .formatted(label(), expr.label()));
    }
    if (isCopy()) {
      throw new ShapeException(
          "[assign] the target must be a view of memory; got a reshape of "
              + label()
              + " that is a copy; assign to the tensor it was made from.");
    }
    IndexMap map = memory().map();
    for (int d = 0; d < map.dims.length; d++) {
      // An empty target has no elements; the strides of its axes may be 0.
      if (shape().size() > 0 && map.dims[d] > 1 && map.strides[d] == 0) {
        throw new ShapeException(
            ("[assign] elements of the target must be distinct; got %s which repeats along axis %s;"
                    + " assign to the tensor it was expanded from.")
                .formatted(label(), d));
      }
    }
    if (context() != context) {
      throw new ShapeException(
          "[assign] the target must belong to this context; got a tensor of another one; copy it"
              + " over with ctx.tensor(other.toFloatArray(), ...).");
    }
  }

  /** Context that owns this tensor. */
  public Context context() {
    return ((Session) storage().owner()).context();
  }

  /**
   * Copies the elements to a Java array, row-major for any layout; the dtype must be F32.
   *
   * @throws ShapeException if the dtype is another one (cast first), or there are more elements
   *     than a Java array holds
   */
  @Override
  public float[] toFloatArray() {
    return HostTransfer.toFloats(this);
  }

  /**
   * Copies the elements to a Java array, row-major; the dtype must be F64. Errors as in {@link
   * #toFloatArray}.
   */
  @Override
  public double[] toDoubleArray() {
    return HostTransfer.toDoubles(this);
  }

  /**
   * Copies the elements to a Java array, row-major; the dtype must be I16, I8 or U8. Errors as in
   * {@link #toFloatArray}.
   */
  public short[] toShortArray() {
    return HostTransfer.toShorts(this);
  }

  /**
   * Copies the elements to a Java array, row-major; the dtype must be I32, or a smaller integer
   * dtype, whose elements are widened. Errors as in {@link #toFloatArray}.
   */
  @Override
  public int[] toIntArray() {
    return HostTransfer.toInts(this);
  }

  /**
   * Copies the elements to a Java array, row-major; the dtype must be I64, or a smaller integer
   * dtype, whose elements are widened. Cast U64 to I64 first: numbers from 2^63 on become negative,
   * as in {@link Long#parseUnsignedLong}. Errors as in {@link #toFloatArray}.
   */
  @Override
  public long[] toLongArray() {
    return HostTransfer.toLongs(this);
  }

  /**
   * Copies the elements to a Java array, row-major; the dtype must be BOOL. Errors as in {@link
   * #toFloatArray}.
   */
  @Override
  public boolean[] toBooleanArray() {
    return HostTransfer.toBooleans(this);
  }

  /** Copies the elements to a byte array, row-major: the bytes of any dtype in native order. */
  public byte[] toByteArray() {
    return HostTransfer.toBytes(this);
  }

  /**
   * Value of a tensor with one element, of any rank; 0 or 1 for BOOL. An I64 or U64 beyond 53 bits
   * is rounded; {@link #toLongArray} is exact.
   *
   * @throws ShapeException if the number of elements is not one
   */
  @Override
  public double item() {
    requireItem(this);
    return HostTransfer.item(this);
  }

  static void requireItem(Expr<?> e) {
    if (e.shape().size() != 1) {
      throw new ShapeException(
          "[item] the tensor must have one element; got "
              + e.label()
              + "; use toFloatArray() or slice it first.");
    }
  }

  /**
   * Casts this tensor to a static dtype, for tensors of {@link Context#loadAll}; converts no
   * elements.
   *
   * @throws ShapeException if the tensor is of another dtype
   */
  @SuppressWarnings("unchecked")
  public <R> Tensor<R> as(DType<R> dtype) {
    if (dtype() != (Object) dtype) {
      throw new ShapeException(
          "[as] the tensor must have that dtype; got " + label() + " as " + dtype + "; cast it.");
    }
    return (Tensor<R>) this;
  }

  /** Prints {@link #toString()} to standard output. */
  @Override
  public void print() {
    System.out.println(this);
  }

  /**
   * Text with dtype and shape in the first line and the values in NumPy's format, summarized beyond
   * 1000 elements.
   */
  @Override
  public String toString() {
    return toString(PrintOptions.DEFAULT);
  }

  /** Prints {@link #toString(PrintOptions)} to standard output. */
  public void print(PrintOptions options) {
    System.out.println(toString(options));
  }

  /** Text as of {@link #toString()}, with other digits, widths or limits. */
  public String toString(PrintOptions options) {
    return HostTransfer.print(this, options);
  }

  // Views

  @Override
  public Tensor<T> reshape(long... dims) {
    return (Tensor<T>) super.reshape(dims);
  }

  @Override
  public Tensor<T> t() {
    return (Tensor<T>) super.t();
  }

  @Override
  public Tensor<T> permute(int... axes) {
    return (Tensor<T>) super.permute(axes);
  }

  @Override
  public Tensor<T> expand(long... dims) {
    return (Tensor<T>) super.expand(dims);
  }

  @Override
  public Tensor<T> squeeze(int... axes) {
    return (Tensor<T>) super.squeeze(axes);
  }

  @Override
  public Tensor<T> unsqueeze(int axis) {
    return (Tensor<T>) super.unsqueeze(axis);
  }

  @Override
  public Tensor<T> flip(int... axes) {
    return (Tensor<T>) super.flip(axes);
  }

  @Override
  public Tensor<T> slice(Slice... slices) {
    return (Tensor<T>) super.slice(slices);
  }

  @Override
  public Tensor<T> swapAxes(int a, int b) {
    return (Tensor<T>) super.swapAxes(a, b);
  }

  @Override
  public Tensor<T> flatten() {
    return (Tensor<T>) super.flatten();
  }

  @Override
  Tensor<T> view(ViewOp op) {
    StorageView viewed = isCopy() ? null : memory().view(op);
    return viewed == null ? new Tensor<>(view(this, op)) : new Tensor<>(dtype(), viewed, this);
  }

  /** Tensor that this view reads, or null if this tensor is not a view. */
  Tensor<T> base() {
    return base;
  }

  /** View operation applied to {@link #base}; null if this tensor is not a view. */
  ViewOp viewOp() {
    return memory().viewOp();
  }

  /**
   * Wraps this tensor in an identity view, so that evaluating the expression copies the elements.
   */
  Expr<T> plain() {
    return view(this, new ViewOp.Expand(shape().longs()));
  }

  @Override
  public Tensor<T> reading(StorageView other) {
    return new Tensor<>(dtype(), other);
  }

  /** Returns a tensor with this layout over other memory. */
  Tensor<T> on(Storage other) {
    return reading(memory().on(other));
  }

  /** Returns a tensor over this memory with another index map. */
  Tensor<T> with(IndexMap map) {
    return reading(memory().with(map));
  }
}
