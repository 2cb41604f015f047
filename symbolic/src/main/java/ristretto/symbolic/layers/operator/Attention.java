package ristretto.symbolic.layers.operator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Tensor;
import ristretto.expr.dim.UnknownDims;
import ristretto.expr.type.BOOL;
import ristretto.expr.type.I32;
import ristretto.expr.type.Shape;
import ristretto.expr.type.Slice;
import ristretto.symbolic.graph.Operator;
import ristretto.symbolic.graph.OperatorContext;
import ristretto.symbolic.graph.Values;
import ristretto.symbolic.graph.Variable;
import ristretto.symbolic.onnx.export.OnnxGraph;
import ristretto.symbolic.onnx.export.OnnxOperator;

/**
 * Scaled dot-product attention (Vaswani et al., 2017): {@code softmax(q k' / sqrt(d)) v}. The
 * weights are computed for a block of rows at a time, and recomputed in the backward pass. If the
 * batch dimensions of the operands differ (broadcasting), all weights are stored instead.
 */
public final class Attention<T> extends Operator implements OnnxOperator {
  /**
   * Score of invisible positions; finite, so that rows without visible positions do not become NaN.
   */
  private static final double INVISIBLE = -1e30;

  /** Number of weights per block; tuned on a processor with 2 MB of cache per core. */
  private static final long AT_A_TIME = 1 << 17;

  private final Variable<T> q;
  private final Variable<T> k;
  private final Variable<T> v;
  private final Optional<Variable<BOOL>> mask;
  private final boolean causal;
  private final double dropout;
  private final Variable<T> output;

  /**
   * Creates the operator.
   *
   * @param mask true where a row of q may see a row of k; empty if no mask is given
   * @param causal true if rows of q see no later rows of k
   * @param dropout probability of dropping a weight in training mode, from 0 to below 1
   */
  public Attention(
      Variable<T> q,
      Variable<T> k,
      Variable<T> v,
      Optional<Variable<BOOL>> mask,
      boolean causal,
      double dropout) {
    super("attention", inputs(q, k, v, mask));
    this.q = q;
    this.k = k;
    this.v = v;
    this.mask = mask;
    this.causal = causal;
    this.dropout = dropout;
    this.output = output(q.dtype(), x -> Ops.dot(dropped(x), x.get(v)));
  }

  private static List<Variable<?>> inputs(
      Variable<?> q, Variable<?> k, Variable<?> v, Optional<Variable<BOOL>> mask) {
    var all = new ArrayList<Variable<?>>();
    for (Variable<?> in : List.of(q, k, v)) {
      if (!all.contains(in)) {
        all.add(in);
      }
    }
    mask.ifPresent(all::add);
    return all;
  }

  /** Returns the output. */
  public Variable<T> output() {
    return output;
  }

  private double scale(Values x) {
    return 1 / Math.sqrt((double) x.get(q).shape().dim(-1));
  }

  private static <T> Expr<T> transposed(Expr<T> a) {
    int[] axes = new int[a.shape().rank()];
    for (int d = 0; d < axes.length; d++) {
      axes[d] = d;
    }
    axes[axes.length - 1] = axes.length - 2;
    axes[axes.length - 2] = axes.length - 1;
    return a.permute(axes);
  }

  private Expr<T> weights(Values x) {
    Expr<T> scores = Ops.dot(x.get(q), transposed(x.get(k))).times(scale(x));
    if (mask.isEmpty() && !causal) {
      return Ops.softmax(scores, -1);
    }
    return masked(scores, visible(x, scores.shape()));
  }

  /** Returns true if weights are dropped in this run. */
  private boolean drops(Values x) {
    return dropout > 0 && x.training();
  }

  /** Factors of the weights: 0 or {@code 1 / (1 - dropout)}. */
  private Expr<T> factors(Values x, Shape weights) {
    Expr<T> draw = Ops.uniform(q.dtype(), x.seed(), weights.extents());
    return Ops.where(draw.ge(dropout), Ops.fill(q.dtype(), 1 / (1 - dropout), 1), 0);
  }

  /** Returns the factors of a block, if weights are dropped in this run. */
  private Optional<Expr<T>> factors(OperatorContext x, Block block, Shape all) {
    return drops(x)
        ? Optional.of(factors(x, all).slice(block.of(all.rank(), true)))
        : Optional.empty();
  }

  /** Weights after dropout. */
  private Expr<T> dropped(Values x) {
    Expr<T> weights = weights(x);
    return drops(x) ? weights.times(factors(x, weights.shape())) : weights;
  }

  /** Softmax over the visible positions; rows without visible positions are zeros. */
  public static <T> Expr<T> masked(Expr<T> scores, Expr<BOOL> visible) {
    return Ops.where(visible, Ops.softmax(Ops.where(visible, scores, INVISIBLE), -1), 0);
  }

  private Expr<BOOL> visible(Values x, Shape scores) {
    if (!causal) {
      return x.get(mask.orElseThrow());
    }
    long rows = scores.at(scores.rank() - 2);
    long columns = scores.at(scores.rank() - 1);
    // Aligns the last rows of both sequences. Indices of 32 bits keep the kernel vectorized.
    Expr<I32> row = Ops.mapIndexed(Ops.fill(Ops.I32, 0, rows, 1), (zero, i) -> (int) i + zero);
    Expr<I32> column = Ops.mapIndexed(Ops.fill(Ops.I32, 0, columns), (zero, i) -> (int) i + zero);
    Expr<BOOL> before = column.minus(row).le(UnknownDims.minus(columns, rows));
    return mask.isPresent() ? before.and(x.get(mask.get())) : before;
  }

  /**
   * Block of rows of q, in a range of the first batch dimension, whose weights are in memory at a
   * time.
   */
  private record Block(long first, long last, long from, long to) {
    Slice[] of(int rank, boolean rows) {
      Slice[] slices = new Slice[rank];
      Arrays.fill(slices, Ops.all());
      if (rank > 2) {
        slices[0] = Ops.range(first, last);
      }
      if (rows) {
        slices[rank - 2] = Ops.range(from, to);
      }
      return slices;
    }
  }

  /**
   * Splits the scores into blocks of several whole matrices, or of several rows of one matrix if
   * one matrix is too large.
   */
  private static List<Block> blocks(Shape scores) {
    int rank = scores.rank();
    long batch = rank > 2 ? scores.dim(0) : 1;
    long rows = scores.dim(-2);
    long each = Math.max(1, scores.size() / Math.max(1, batch));
    long batches = Math.clamp(AT_A_TIME / each, 1, Math.max(1, batch));
    long some = Math.clamp(AT_A_TIME * rows / each, 1, Math.max(1, rows));
    var blocks = new ArrayList<Block>();
    for (long b = 0; b < batch; b += batches) {
      for (long r = 0; r < rows; r += some) {
        blocks.add(new Block(b, Math.min(batch, b + batches), r, Math.min(rows, r + some)));
      }
    }
    return blocks;
  }

  /** Computes the weights of a block into memory. */
  private Tensor<T> weights(
      OperatorContext x, Operands<T> in, Block block, Shape all, String name) {
    Expr<T> product = Ops.dot(Operands.rows(in.q, block), transposed(Operands.whole(in.k, block)));
    Expr<T> scores = product.times(scale(x));
    Expr<T> some =
        mask.isEmpty() && !causal
            ? Ops.softmax(scores, -1)
            : masked(
                scores, visible(x, all).expand(all.toArray()).slice(block.of(all.rank(), true)));
    Tensor<T> memory = x.workspace(name + some.shape(), q.dtype(), some.shape().toArray());
    x.write(memory, some);
    return memory;
  }

  /** Operands that the blocks read. */
  private record Operands<T>(Expr<T> q, Expr<T> k, Expr<T> v) {
    static <T> Expr<T> rows(Expr<T> of, Block block) {
      return of.slice(block.of(of.shape().rank(), true));
    }

    static <T> Expr<T> whole(Expr<T> of, Block block) {
      return of.slice(block.of(of.shape().rank(), false));
    }
  }

  /**
   * Returns the operands; those that are computed, such as the sum of a product and a bias, are
   * stored, so that they are not computed for each block.
   */
  private Operands<T> operands(OperatorContext x, int blocks, String pass) {
    return new Operands<>(
        stored(x, q, blocks, "q" + pass),
        stored(x, k, blocks, "k" + pass),
        stored(x, v, blocks, "v" + pass));
  }

  private Expr<T> stored(OperatorContext x, Variable<T> of, int blocks, String name) {
    Expr<T> value = x.get(of);
    if (blocks == 1 || value instanceof Tensor<T>) {
      return value;
    }
    Tensor<T> memory = x.workspace(name, of.dtype(), value.shape().toArray());
    x.write(memory, value);
    return memory;
  }

  /** Returns true if the operands have equal batch dimensions, so that the batch can be split. */
  private boolean isAlike(OperatorContext x) {
    long[] batch = batch(x.get(q));
    return Arrays.equals(batch, batch(x.get(k))) && Arrays.equals(batch, batch(x.get(v)));
  }

  private static long[] batch(Expr<?> e) {
    return Arrays.copyOf(e.shape().toArray(), e.shape().rank() - 2);
  }

  @Override
  protected void forward(OperatorContext x) {
    Expr<T> all = weights(x);
    if (!isAlike(x)) {
      Tensor<T> kept = x.workspace("weights", q.dtype(), all.shape().toArray());
      x.write(kept, all);
      Expr<T> read = drops(x) ? kept.times(factors(x, all.shape())) : kept;
      x.assign(output, Ops.dot(read, x.get(v)));
      return;
    }
    Tensor<T> y = x.workspace("output", q.dtype(), Ops.dot(all, x.get(v)).shape().toArray());
    List<Block> blocks = blocks(all.shape());
    Operands<T> in = operands(x, blocks.size(), "");
    for (Block block : blocks) {
      Tensor<T> p = weights(x, in, block, all.shape(), "weights");
      factors(x, block, all.shape()).ifPresent(f -> x.write(p, p.times(f)));
      x.write(y.slice(block.of(y.shape().rank(), true)), Ops.dot(p, Operands.whole(in.v, block)));
    }
    x.assign(output, y);
  }

  @Override
  protected void backward(OperatorContext x) {
    if (!isAlike(x)) {
      keptBackward(x, x.materialize(x.gradient(output)));
      return;
    }
    Expr<T> gradient = x.gradient(output);
    Expr<T> dy = x.materializeUnlessCheap(gradient);
    Shape shape = weights(x).shape();
    Tensor<T> dq = x.gradientWorkspace("dq", q);
    Tensor<T> dk = x.gradientWorkspace("dk", k);
    Tensor<T> dv = x.gradientWorkspace("dv", v);
    List<Block> blocks = blocks(shape);
    Operands<T> in = operands(x, blocks.size(), " again");
    for (Block block : blocks) {
      int rank = shape.rank();
      Tensor<T> p = weights(x, in, block, shape, "weights again");
      Expr<T> cut = dy.slice(block.of(rank, true));
      Tensor<T> d = x.workspace("dy" + cut.shape(), q.dtype(), cut.shape().toArray());
      x.write(d, cut);
      Tensor<T> ds = x.workspace("scores" + p.shape(), q.dtype(), p.shape().toArray());
      Optional<Expr<T>> factors = factors(x, block, shape);
      factors.ifPresent(f -> x.write(ds, p.times(f)));
      add(x, block, dv, Ops.dot(transposed(factors.isPresent() ? ds : p), d));
      x.write(ds, Ops.dot(d, transposed(Operands.whole(in.v, block))));
      factors.ifPresent(f -> x.write(ds, ds.times(f)));
      x.write(ds, ofScores(x, p, ds));
      x.write(dq.slice(block.of(rank, true)), Ops.dot(ds, Operands.whole(in.k, block)));
      add(x, block, dk, Ops.dot(transposed(ds), Operands.rows(in.q, block)));
    }
    x.addGradient(v, dv);
    x.addGradient(q, dq);
    x.addGradient(k, dk);
  }

  /**
   * Returns the gradient of the scores, given the weights {@code p} and their gradient {@code dp}.
   */
  private Expr<T> ofScores(OperatorContext x, Tensor<T> p, Tensor<T> dp) {
    return p.times(dp.minus(Ops.sum(p.times(dp), -1).keepDims())).times(scale(x));
  }

  /** Adds the contribution of a block to the gradient of k or v. */
  private void add(OperatorContext x, Block block, Tensor<T> to, Expr<T> part) {
    Tensor<T> some = to.slice(block.of(to.shape().rank(), false));
    x.write(some, block.from == 0 ? part : some.plus(part));
  }

  /** Backward pass with the stored weights of the forward pass. */
  private void keptBackward(OperatorContext x, Expr<T> dy) {
    Tensor<T> p = x.workspace("weights", q.dtype(), weights(x).shape().toArray());
    Expr<T> read = drops(x) ? p.times(factors(x, p.shape())) : p;
    x.addGradients(Ops.dot(read, x.get(v)), dy, List.of(v));
    if (!x.wantsGradient(q) && !x.wantsGradient(k)) {
      return;
    }
    Tensor<T> ds = x.workspace("scores", q.dtype(), p.shape().toArray());
    x.write(ds, Ops.dot(dy, transposed(x.get(v))));
    if (drops(x)) {
      x.write(ds, ds.times(factors(x, p.shape())));
    }
    x.write(ds, ofScores(x, p, ds));
    x.addGradients(Ops.dot(x.get(q), transposed(x.get(k))), ds, List.of(q, k));
  }

  @Override
  protected void backwardThrough(OperatorContext x) {
    x.addGradients(Ops.dot(dropped(x), x.get(v)), x.gradient(output), inputs());
  }

  @Override
  public void onnx(OnnxGraph graph) {
    graph.formula(output, x -> Ops.dot(weights(x), x.get(v)));
  }

  @Override
  protected boolean backwardReads(Variable<?> variable) {
    return variable == q || variable == k || variable == v;
  }
}
