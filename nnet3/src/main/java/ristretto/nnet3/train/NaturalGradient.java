package ristretto.nnet3.train;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.abs;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.scalar;
import static ristretto.expr.Ops.sqrt;
import static ristretto.expr.Ops.square;
import static ristretto.expr.Ops.sum;
import static ristretto.expr.Ops.where;

import java.lang.foreign.MemorySegment;
import org.apache.commons.math3.linear.NonPositiveDefiniteMatrixException;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;

/**
 * Natural gradient: multiplies rows of derivatives by an estimate of the inverse Fisher matrix,
 * smoothed, and scaled to keep the sum of squares. The estimate is a multiple of the unit matrix
 * plus a low-rank matrix, updated from the data. Only its rank by rank factors are computed on the
 * host, at each update.
 *
 * <p>Source: Povey, Zhang, Khudanpur, "Parallel training of DNNs with natural gradient and
 * parameter averaging", 2015, appendix B; the first estimate is made from the first matrix.
 */
public final class NaturalGradient {
  private static final int FIRST_UPDATES = 10;
  private static final int FIRST_PASSES = 3;

  /**
   * Threshold below which elements of W become zero; far below the accuracy of rows of about unit
   * length.
   */
  private static final float TINY = 1e-15f;

  private final Context context;
  private final Options options;
  private final int dim;

  /** W [rank, dim], H' X [rank, dim], H' H and J J' [rank, rank], of the last matrix. */
  private final Tensor<F32> w;

  private final Tensor<F32> j;
  private final Tensor<F32> l;
  private final Tensor<F32> k;

  /** W W' - 2 I; null until it is needed. */
  private Tensor<F32> norm;

  private Tensor<F32> minusTwice;

  private final Tensor<F32> before;
  private final Tensor<F32> scale;

  /** Staging buffers for host results: [rank, rank] and [rank, 1]. */
  private final Tensor<F32> left;

  private final Tensor<F32> rows;
  private FisherFactor factor;
  private boolean frozen;
  private boolean started;
  private int steps;

  /**
   * Options, with Kaldi's names.
   *
   * @param rank rank of the low-rank matrix; limited to dim - 1
   * @param updatePeriod number of matrices per update of the estimate, after the first 10
   * @param numSamplesHistory number of rows after which the influence of a row has decayed to 1/e
   * @param numMinibatchesHistory number of matrices, instead of rows; 0 for none
   * @param alpha smoothing with the unit matrix
   * @param epsilon minimum eigenvalue
   * @param delta minimum eigenvalue relative to the largest
   */
  public record Options(
      int rank,
      int updatePeriod,
      double numSamplesHistory,
      double numMinibatchesHistory,
      double alpha,
      double epsilon,
      double delta) {
    /** Kaldi's defaults for a rank and a period. */
    public static Options of(int rank, int updatePeriod) {
      return new Options(rank, updatePeriod, 2000, 0, 4, 1e-10, 5e-4);
    }

    /** Returns the weight of {@code rows} new rows relative to the history. */
    double eta(int rows) {
      if (numMinibatchesHistory > 0) {
        return 1 / numMinibatchesHistory;
      }
      return Math.min(0.9, 1 - Math.exp(-rows / numSamplesHistory));
    }
  }

  /**
   * Creates the initial estimate.
   *
   * @param dim number of columns of the rows
   */
  public NaturalGradient(Context context, Options options, int dim) {
    this.context = context;
    this.options = options;
    this.dim = dim;
    int rank = Math.min(options.rank, dim - 1);
    scale = context.ones(F32);
    before = context.zeros(F32);
    if (dim == 1) {
      w = j = l = k = left = rows = null;
      return;
    }
    factor = FisherFactor.initial(options, dim, rank);
    w = context.tensor(firstW(rank), rank, dim);
    j = context.zeros(F32, rank, dim);
    l = context.zeros(F32, rank, rank);
    k = context.zeros(F32, rank, rank);
    left = context.zeros(F32, rank, rank);
    rows = context.zeros(F32, rank, 1);
  }

  /** Returns orthogonal rows without zero columns. */
  private float[] firstW(int rank) {
    double root = Math.sqrt(factor.e()[0]);
    float[] first = new float[rank * dim];
    for (int row = 0; row < rank; row++) {
      int count = (dim - row + rank - 1) / rank;
      // The first element is larger, so that rows differ in more than a shift.
      double length = Math.sqrt(1.1 * 1.1 + count - 1);
      for (int column = row; column < dim; column += rank) {
        first[row * dim + column] = (float) (root * (column == row ? 1.1 : 1) / length);
      }
    }
    return first;
  }

  /** Sets whether the estimate is frozen. */
  public void freeze(boolean freeze) {
    frozen = freeze;
  }

  /** Returns true if the next matrix updates the estimate. */
  public boolean updates() {
    return dim > 1
        && !frozen
        && (steps <= FIRST_UPDATES || (steps - FIRST_UPDATES) % options.updatePeriod == 0);
  }

  /**
   * Returns true if no matrix has been seen yet, so that the first estimate is still to be made.
   */
  public boolean isNew() {
    return dim > 1 && !started;
  }

  /** Makes the first estimate from the first matrix x[n, dim], which is not changed. */
  public void start(Tensor<F32> x) {
    start(new PreconditionedRows.Whole(x));
  }

  void start(PreconditionedRows x) {
    int passes = x.count() <= factor.d().length ? 1 : FIRST_PASSES;
    for (int pass = 0; pass < passes; pass++) {
      gather(x, project(x));
      context.assign(before, x.sumOfSquares());
      change(x.count());
    }
    started = true;
    steps = 0;
  }

  /**
   * Multiplies x[n, dim] in place by the inverse Fisher matrix, and sets {@link #scale}. Only
   * assigns, so that it can be recorded.
   *
   * @param update true if {@link #done} will update the estimate
   */
  public void precondition(Tensor<F32> x, boolean update) {
    if (dim == 1) {
      return;
    }
    var rows = new PreconditionedRows.Whole(x);
    Tensor<F32> h = project(rows);
    if (update) {
      gather(rows, h);
    }
    context.assign(before, rows.sumOfSquares());
    context.assignSub(x, dot(h, w));
    scaleTo(sum(square(x)));
  }

  /**
   * Computes the natural gradient of rows in the form {@code x - h w}, without changing them:
   * returns h[n, rank]; w is {@link #w}. Sets {@link #scale}.
   *
   * @param update true if {@link #done} will update the estimate
   */
  Tensor<F32> project(PreconditionedRows x, boolean update) {
    if (norm == null) {
      norm = context.empty(F32, l.shape());
      minusTwice = diagonal(-2);
      assignNorm();
    }
    Tensor<F32> h = project(x);
    if (update) {
      gather(x, h);
    } else {
      context.assign(l, dot(h.t(), h));
    }
    context.assign(before, x.sumOfSquares());
    // |x - h w|^2 = |x|^2 - 2 |h|^2 + |h w|^2, with |h|^2 and |h w|^2 from h' h.
    scaleTo(before.plus(sum(l.times(norm))));
    return h;
  }

  /** Returns the low-rank matrix w[rank, dim]. */
  Tensor<F32> w() {
    return w;
  }

  private Tensor<F32> diagonal(float value) {
    int n = (int) l.shape().dim(0);
    float[] all = new float[n * n];
    for (int i = 0; i < n; i++) {
      all[i * (n + 1)] = value;
    }
    return context.tensor(all, n, n);
  }

  private void scaleTo(Expr<F32> after) {
    Tensor<F32> known = context.eval(after);
    context.assign(
        scale, where(before.gt(0).and(known.gt(0)), sqrt(before.div(known)), scalar(F32, 1)));
  }

  private Tensor<F32> project(PreconditionedRows x) {
    Tensor<F32> h = context.empty(F32, x.count(), w.shape().dim(0));
    x.project(context, w, h);
    return h;
  }

  private void gather(PreconditionedRows x, Tensor<F32> h) {
    x.gather(context, h, j);
    context.assign(l, dot(h.t(), h));
    context.assign(k, dot(j, j.t()));
  }

  /** Returns the scalar factor that restores the sum of squares. */
  public Tensor<F32> scale() {
    return scale;
  }

  /**
   * Counts a matrix and updates the estimate; to be called after {@link #precondition} has run.
   *
   * @param count number of rows of the matrix
   * @param update true to update the estimate
   */
  public void done(int count, boolean update) {
    if (update && dim > 1) {
      change(count);
    }
    steps++;
  }

  private void change(int count) {
    double trace = before.item();
    FisherFactor.Next next = factor.next(count, read(l), read(k), trace);
    write(left, next.left());
    context.copy(MemorySegment.ofArray(singles(next.scale())), rows);
    assignW(dot(left, j.plus(rows.times(w))));
    factor = next.factor();
    if (next.reorthogonalize()) {
      reorthogonalize();
    }
    if (norm != null) {
      assignNorm();
    }
  }

  private void assignNorm() {
    context.assign(norm, minusTwice);
    context.assignAdd(norm, dot(w, w.t()));
  }

  /**
   * Assigns W, with decayed elements flushed to zero. Columns without derivatives, as of units that
   * are never active, would decay to subnormal numbers, which slow down all products.
   */
  private void assignW(Expr<F32> next) {
    Tensor<F32> computed = context.eval(next);
    context.assign(w, where(abs(computed).lt(TINY), 0, computed));
  }

  private void reorthogonalize() {
    try {
      double[][] by = factor.orthogonalizer(read(context.eval(dot(w, w.t()))));
      if (by != null) {
        write(left, by);
        assignW(dot(left, w));
      }
    } catch (NonPositiveDefiniteMatrixException _) {
      // Linearly dependent rows are replaced by arbitrary orthogonal ones.
      double[] e = factor.e();
      float[] fresh = new float[e.length * dim];
      for (int row = 0; row < e.length; row++) {
        fresh[row * dim + row] = (float) Math.sqrt(e[row]);
      }
      context.copy(MemorySegment.ofArray(fresh), w);
    }
  }

  private static double[][] read(Tensor<F32> square) {
    float[] all = square.toFloatArray();
    int n = (int) square.shape().dim(0);
    double[][] result = new double[n][n];
    for (int i = 0; i < all.length; i++) {
      result[i / n][i % n] = all[i];
    }
    return result;
  }

  private void write(Tensor<F32> to, double[][] values) {
    float[] all = new float[values.length * values.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = (float) values[i / values.length][i % values.length];
    }
    context.copy(MemorySegment.ofArray(all), to);
  }

  private static float[] singles(double[] values) {
    float[] all = new float[values.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = (float) values[i];
    }
    return all;
  }
}
