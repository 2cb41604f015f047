package ristretto.expr;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import ristretto.expr.graph.StorageView;
import ristretto.expr.graph.Term;
import ristretto.expr.graph.View;
import ristretto.expr.index.ViewOp;
import ristretto.expr.type.F32;
import ristretto.expr.type.LValue;
import ristretto.expr.type.Shape;
import ristretto.expr.type.U8;
import ristretto.kernels.ShapeException;
import ristretto.kernels.block.BlockEncoder;
import ristretto.kernels.block.BlockFormat;
import ristretto.kernels.ir.Longs;

/**
 * Matrix of small integers with a scale for each block of elements ({@link BlockFormat}), made by
 * {@link Ops#quantize}. It is an F32 expression: {@link Ops#dot} with this matrix, or its
 * transpose, as the right operand decodes the blocks inside the product's kernel if the product
 * sums along the blocks; {@link Ops#take} along the other axis decodes the taken rows only. Any
 * other use decodes the matrix into memory first. The blocks have no gradient.
 *
 * @serial exclude
 */
public final class QuantizedTensor extends LExpr<F32> {
  private static final int ROWS_AT_ONCE = 64;

  private final BlockFormat format;
  private final int axis;
  private final Tensor<U8> blocks;

  /**
   * Creates a matrix.
   *
   * @param axis axis along which the blocks run
   * @param blocks rows of blocks, one for each position of the other axis
   */
  private QuantizedTensor(BlockFormat format, Shape shape, int axis, Tensor<U8> blocks) {
    super(F32.INSTANCE, shape, blocks);
    this.format = format;
    this.axis = axis;
    this.blocks = blocks;
    blocks.context().session().device().expect(format, shape.size());
  }

  /**
   * Makes a matrix of the blocks of a file.
   *
   * @param blocks {@code [n, bytes of a row]}, whose rows are contiguous; not copied
   * @param k number of elements of a row
   * @return matrix {@code [n, k]}
   * @throws ShapeException if the rows do not have the bytes of k elements
   */
  public static QuantizedTensor of(BlockFormat format, Tensor<U8> blocks, long k) {
    Shape shape = blocks.shape();
    if (shape.rank() != 2 || k % format.length() != 0 || shape.at(1) != format.rowBytes(k)) {
      throw new ShapeException(
          ("[quantize] blocks must be [n, %s], the bytes of rows of %s %s elements, in whole blocks"
                  + " of %s; got blocks %s; check the number of elements.")
              .formatted(format.rowBytes(k), k, format.label(), format.length(), blocks.label()));
    }
    return new QuantizedTensor(format, Shape.of(shape.at(0), k), 1, blocks);
  }

  static QuantizedTensor of(Tensor<F32> w, BlockFormat format, int axis) {
    if (w.shape().rank() != 2) {
      throw new ShapeException(
          "[quantize] the tensor must be a matrix; got " + w.label() + "; reshape it.");
    }
    int d = w.shape().axis(axis, "quantize");
    Tensor<F32> rows = d == 1 ? w : w.t();
    long n = rows.shape().at(0);
    long k = rows.shape().at(1);
    if (k % format.length() != 0) {
      throw new ShapeException(
          ("[quantize] axis %s must have a multiple of %s elements for %s; got %s; choose I8, which"
                  + " takes any number, or the other axis.")
              .formatted(d, format.length(), format.label(), w.label()));
    }
    Tensor<U8> blocks = w.context().empty(U8.INSTANCE, Shape.of(n, format.rowBytes(k)));
    encode(rows, format, blocks);
    return new QuantizedTensor(format, w.shape(), d, blocks);
  }

  private static void encode(Tensor<F32> rows, BlockFormat format, Tensor<U8> blocks) {
    int n = Math.toIntExact(rows.shape().at(0));
    int k = Math.toIntExact(rows.shape().at(1));
    long bytes = format.rowBytes(k);
    for (int first = 0; first < n; first += ROWS_AT_ONCE) {
      int some = Math.min(ROWS_AT_ONCE, n - first);
      float[] elements = rows.slice(Ops.range(first, first + some)).toFloatArray();
      if (!BlockEncoder.isFinite(elements)) {
        throw new ShapeException(
            "[quantize] elements must be finite; got NaN or infinity in "
                + rows.label()
                + "; check how they were computed.");
      }
      var encoded = new byte[Math.toIntExact(some * bytes)];
      var memory = MemorySegment.ofArray(encoded);
      for (int r = 0; r < some; r++) {
        BlockEncoder.encode(format, elements, r * k, k, memory, r * bytes);
      }
      HostTransfer.write(blocks.slice(Ops.range(first, first + some)), memory);
    }
  }

  /** Layout of the blocks. */
  public BlockFormat format() {
    return format;
  }

  /** Axis along which the blocks run, 0 or 1. */
  public int axis() {
    return axis;
  }

  /** Rows of blocks, one for each position of the other axis. */
  public Tensor<U8> blocks() {
    return blocks;
  }

  /** Bytes of the blocks. */
  public long bytes() {
    return blocks.shape().size();
  }

  @Override
  protected void prepare(Assignment assignment) {
    assignment.requireContiguous(blocks);
  }

  @Override
  protected void execute(Assignment assignment, LValue<F32> target) {
    Expr<F32> decoded =
        BlockFormulas.decoded(format, assignment.contiguous(blocks), shape().at(axis));
    Tensor<F32> rows = axis == 1 ? (Tensor<F32>) target : ((Tensor<F32>) target).t();
    assignment.assign(rows.reshape(decoded.shape().toArray()), decoded);
  }

  @Override
  protected List<Expr<?>> gradients(Expr<F32> dy) {
    return Arrays.asList((Expr<?>) null);
  }

  @Override
  protected Object key() {
    return List.of(format, axis);
  }

  @Override
  public String toString() {
    return format.label() + shape();
  }

  /** Matrix without the views around it. */
  private record Found(QuantizedTensor matrix, boolean transposed) {}

  private static Found find(Expr<?> e) {
    boolean transposed = false;
    Term at = e;
    while (at.operation() instanceof View v) {
      if (!(v.op() instanceof ViewOp.Permute p) || !p.axes().equals(Longs.of(1, 0))) {
        return null;
      }
      transposed = !transposed;
      at = at.operand(0);
    }
    return at instanceof QuantizedTensor q ? new Found(q, transposed) : null;
  }

  /**
   * Product with a quantized right operand along its blocks; null if the right operand is another
   * one.
   */
  static Expr<F32> product(Expr<?> a, Expr<?> b) {
    Found found = a.dtype() == (Object) F32.INSTANCE ? find(b) : null;
    long k = b.shape().at(b.shape().rank() - 2);
    if (found == null || found.matrix.axis != (found.transposed ? 1 : 0) || k == 0) {
      return null;
    }
    int rank = a.shape().rank();
    long n = b.shape().at(1);
    long[] dims = a.shape().extents();
    dims[rank - 1] = n;
    Expr<?> tall = a.reshape(-1, k);
    @SuppressWarnings("unchecked")
    var left = (Expr<F32>) tall;
    return new Product(found.matrix, left, n).reshape(dims);
  }

  /**
   * Rows of a quantized matrix at indices; null if the expression is another one or the axis is
   * that of the blocks.
   */
  static Expr<F32> taken(Expr<?> a, Expr<?> indices, int axis) {
    Found found = find(a);
    if (found == null || found.transposed || found.matrix.axis == axis) {
      return null;
    }
    QuantizedTensor q = found.matrix;
    long k = q.shape().at(q.axis);
    Expr<U8> rows = Ops.take(q.blocks, indices.flatten(), 0);
    Expr<F32> decoded = BlockFormulas.decoded(q.format, rows, k).reshape(indices.shape().size(), k);
    long[] dims = GatherScatter.replaced(a.shape(), axis, indices.shape()).extents();
    return axis == 0 ? decoded.reshape(dims) : decoded.t().reshape(dims);
  }

  /** Product {@code a[m, k], q -> y[m, n]} along the blocks. */
  private static final class Product extends LExpr<F32> {
    private final QuantizedTensor q;

    Product(QuantizedTensor q, Expr<F32> a, long n) {
      super(F32.INSTANCE, Shape.of(a.shape().at(0), n), a, q.blocks);
      this.q = q;
    }

    @SuppressWarnings("unchecked")
    private Expr<F32> left() {
      return (Expr<F32>) inputs().get(0);
    }

    @SuppressWarnings("unchecked")
    private Tensor<U8> blocks() {
      return (Tensor<U8>) inputs().get(1);
    }

    @Override
    protected void prepare(Assignment assignment) {
      assignment.requireContiguous(left());
      assignment.requireContiguous(blocks());
    }

    @Override
    protected void execute(Assignment assignment, LValue<F32> target) {
      StorageView a = assignment.contiguous(left()).memory();
      StorageView b = assignment.contiguous(blocks()).memory();
      assignment.multiply(q.format, a, b, ((Tensor<F32>) target).memory());
    }

    @Override
    protected List<Expr<?>> gradients(Expr<F32> dy) {
      Expr<F32> w = q.axis == 1 ? q : q.t();
      return Arrays.asList(MatrixProduct.dot(dy, w), null);
    }

    @Override
    protected Object key() {
      return List.of(Product.class, q.format);
    }

    @Override
    public String toString() {
      return "dot with " + q;
    }
  }
}
