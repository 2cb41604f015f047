package ristretto.expr;

import java.util.List;
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
public final class Tensor<T> extends RExpr<T> implements LValue<T> {
  private final Storage storage;
  private final Layout layout;
  private final boolean copy;

  /** Tensor that this view reads; null if this tensor is not a view. */
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
   * Reshape that no layout expresses; reads as a copy of the current values and cannot be assigned
   * to.
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

  /** Tensor at the end of the chain of views; this tensor if it is not a view. */
  Tensor<T> root() {
    Tensor<T> t = this;
    while (t.base != null) {
      t = t.base;
    }
    return t;
  }

  /** Returns true for a reshape that cannot be a view. */
  boolean isCopy() {
    return copy;
  }

  /** Context that owns this tensor. */
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
   * Copies the elements to a Java array, row-major for any layout; the dtype must be F32.
   *
   * @throws ShapeException if the dtype is another one (cast first), or there are more elements
   *     than a Java array holds
   */
  public float[] toFloatArray() {
    return HostTransfer.toFloats(this);
  }

  /**
   * Copies the elements to a Java array, row-major; the dtype must be F64. Errors as in {@link
   * #toFloatArray}.
   */
  public double[] toDoubleArray() {
    return HostTransfer.toDoubles(this);
  }

  /**
   * Copies the elements to a Java array, row-major; the dtype must be I32. Errors as in {@link
   * #toFloatArray}.
   */
  public int[] toIntArray() {
    return HostTransfer.toInts(this);
  }

  /**
   * Copies the elements to a Java array, row-major; the dtype must be I64. Errors as in {@link
   * #toFloatArray}.
   */
  public long[] toLongArray() {
    return HostTransfer.toLongs(this);
  }

  /**
   * Copies the elements to a Java array, row-major; the dtype must be BOOL. Errors as in {@link
   * #toFloatArray}.
   */
  public boolean[] toBooleanArray() {
    return HostTransfer.toBooleans(this);
  }

  /** Copies the elements to a byte array, row-major: the bytes of any dtype in native order. */
  public byte[] toByteArray() {
    return HostTransfer.toBytes(this);
  }

  /**
   * Value of a tensor with one element, of any rank; 0 or 1 for BOOL. An I64 beyond 53 bits is
   * rounded; {@link #toLongArray} is exact.
   *
   * @throws ShapeException if the number of elements is not one
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
   * Casts this tensor to a static dtype, for tensors of {@link Context#loadAll}; converts no
   * elements.
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
   * Text with dtype and shape in the first line and the values in NumPy's format, summarized beyond
   * 1000 elements.
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

  /** Tensor that this view reads, or null if this tensor is not a view. */
  Tensor<T> base() {
    return base;
  }

  /** Applies this view's operation to another expression. */
  Expr<T> sameView(Expr<T> of) {
    return of.view(view);
  }

  /** Gradient with respect to {@link #base}, for the gradient {@code dy} of this view. */
  Expr<T> baseGradient(Expr<T> dy) {
    return View.gradient(view, base.shape(), dy);
  }

  @Override
  protected List<Expr<?>> gradients(Expr<T> dy) {
    return copy ? List.of(dy) : List.of();
  }

  /**
   * Wraps this tensor in an identity view, so that evaluating the expression copies the elements.
   */
  Expr<T> plain() {
    return new View<>(this, new ViewOp.Expand(shape().longs()));
  }

  /** Returns a tensor with this layout over other memory. */
  Tensor<T> on(Storage other) {
    return new Tensor<>(dtype(), other, layout, base == null ? null : base.on(other), view);
  }

  /** Returns the counterpart of this copying reshape for {@code view}, which reads other memory. */
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

  /** Returns a tensor over this memory with another index map. */
  Tensor<T> with(IndexMap map) {
    return new Tensor<>(dtype(), storage, new Layout(map));
  }
}
