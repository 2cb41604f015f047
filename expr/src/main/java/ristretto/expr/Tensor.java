package ristretto.expr;

import java.util.List;
import ristretto.kernels.ShapeException;

/**
 * Elements in device memory: an expression that is its own value, and an assignment's target. Views
 * ({@code t}, {@code slice}, {@code permute}, ...) are tensors over the same memory and may be
 * assigned to. A reshape that strides cannot express, as of a transposed tensor, reads as a copy of
 * the current values and cannot be assigned to. Memory is freed when no tensor uses it any more, at
 * the latest when the context closes. Made by {@link Context}.
 *
 * <p>Reading a tensor waits for the work that writes it; a tensor of a closed context is a {@link
 * ristretto.kernels.ClosedException}.
 *
 * @param <T> the dtype
 */
public final class Tensor<T> extends RExpr<T> implements LValue<T> {
  private final Storage storage;
  private final Layout layout;
  private final boolean copy;

  /** What this is a view of, and how; null if it is none. */
  private final Tensor<T> base;

  private final ViewOp view;

  Tensor(DType<T> dtype, Storage storage, Layout layout) {
    this(dtype, storage, layout, null, null);
  }

  private Tensor(DType<T> dtype, Storage storage, Layout layout, Tensor<T> base, ViewOp view) {
    super(dtype, layout.shape());
    this.storage = storage;
    this.layout = layout;
    this.copy = false;
    this.base = base;
    this.view = view;
  }

  /**
   * A reshape that no layout expresses: it reads as a copy of the current values, and cannot be
   * assigned to.
   */
  private Tensor(Storage of, View<T> copy) {
    super(copy.dtype(), copy.shape(), List.of(copy));
    this.storage = of;
    this.layout = Layout.contiguous(copy.shape());
    this.copy = true;
    this.base = null;
    this.view = null;
  }

  Storage storage() {
    return storage;
  }

  @Override
  public Layout layout() {
    return layout;
  }

  /** The tensor that this is a view of, through others; itself if it is none. */
  Tensor<T> root() {
    Tensor<T> t = this;
    while (t.base != null) {
      t = t.base;
    }
    return t;
  }

  /** True for a reshape that cannot be a view. */
  boolean isCopy() {
    return copy;
  }

  /** The context this tensor belongs to. */
  public Context context() {
    return storage.context();
  }

  @Override
  protected Object key() {
    return "copy";
  }

  @Override
  protected Scalar read(Reads in) {
    return in.input(0);
  }

  /**
   * A copy of the elements, row-major whatever the layout; the dtype must be F32.
   *
   * @throws ShapeException if the dtype is another one (cast first), or there are more elements
   *     than a Java array holds
   */
  public float[] toFloatArray() {
    return HostTransfer.toFloats(this);
  }

  /** As {@link #toFloatArray}; the dtype must be F64. */
  public double[] toDoubleArray() {
    return HostTransfer.toDoubles(this);
  }

  /** As {@link #toFloatArray}; the dtype must be I32. */
  public int[] toIntArray() {
    return HostTransfer.toInts(this);
  }

  /** As {@link #toFloatArray}; the dtype must be I64. */
  public long[] toLongArray() {
    return HostTransfer.toLongs(this);
  }

  /** As {@link #toFloatArray}; the dtype must be BOOL. */
  public boolean[] toBooleanArray() {
    return HostTransfer.toBooleans(this);
  }

  /** Row-major elements as raw bytes: I8, U8, or the bits of any other dtype in native order. */
  public byte[] toByteArray() {
    return HostTransfer.toBytes(this);
  }

  /**
   * The value of a tensor of one element, of any rank; BOOL gives 0 or 1. An I64 beyond 53 bits is
   * rounded: {@link #toLongArray} is exact.
   *
   * @throws ShapeException if there are more elements or none
   */
  public double item() {
    if (shape().size() != 1) {
      throw new ShapeException(
          "[item] the tensor must have one element; got "
              + label()
              + "; use toFloatArray() or slice it first.");
    }
    return HostTransfer.item(this);
  }

  /**
   * This tensor with its dtype known to the compiler, as {@link Context#loadAll} cannot give it;
   * nothing is converted.
   *
   * @throws ShapeException if the tensor is of another dtype
   */
  @SuppressWarnings("unchecked")
  public <R> Tensor<R> as(DType<R> dtype) {
    if (dtype() != (Object) dtype) {
      throw new ShapeException(
          "[as] the tensor must be of that dtype; got " + label() + " as " + dtype + "; cast it.");
    }
    return (Tensor<R>) this;
  }

  /** Prints {@link #toString()} to standard output. */
  public void print() {
    System.out.println(this);
  }

  /**
   * The values as NumPy prints them, summarized beyond 1000 elements, after a line with dtype and
   * shape.
   */
  @Override
  public String toString() {
    return HostTransfer.print(this);
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
    IndexMap map = !copy ? op.apply(layout.map()) : null;
    return map == null
        ? new Tensor<>(storage, new View<>(this, op))
        : new Tensor<>(dtype(), storage, new Layout(map), this, op);
  }

  /** The tensor that this is a view of, or null. */
  Tensor<T> base() {
    return base;
  }

  /** The view that this is of its base, of another expression. */
  Expr<T> sameView(Expr<T> of) {
    return of.view(view);
  }

  /** What {@link #base} is weighted with if this view of it is with {@code dy}. */
  Expr<T> baseGradient(Expr<T> dy) {
    return View.gradient(view, base.shape(), dy);
  }

  @Override
  protected List<Expr<?>> gradients(Expr<T> dy) {
    return copy ? List.of(dy) : List.of();
  }

  /** This tensor as an expression that is not the tensor itself, so that evaluating it copies. */
  Expr<T> plain() {
    return new View<>(this, new ViewOp.Expand(shape().longs()));
  }

  /** The same layout over other memory. */
  Tensor<T> on(Storage other) {
    return new Tensor<>(dtype(), other, layout, base == null ? null : base.on(other), view);
  }

  /** For a copy: the same of other memory, as {@code view} has it. */
  Tensor<T> copying(Expr<?> view) {
    @SuppressWarnings("unchecked")
    var same = (View<T>) view;
    Expr<?> of = view;
    while (true) {
      if (of instanceof Tensor<?> t && !t.copy) {
        return new Tensor<>(t.storage, same);
      }
      of = of.inputs().get(0);
    }
  }

  /** The same memory under another map. */
  Tensor<T> with(IndexMap map) {
    return new Tensor<>(dtype(), storage, new Layout(map));
  }
}
