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
import ristretto.expr.F32;
import ristretto.expr.Tensor;

/**
 * Multiplies rows of derivatives by an estimate of the inverse Fisher matrix, smoothed and scaled
 * so that their sum of squares stays. The estimate is the unit matrix and a matrix of low rank; it
 * follows the data. Only its small side, of rank by rank, is computed on the host, when it changes.
 *
 * <p>Source: Povey, Zhang, Khudanpur, "Parallel training of DNNs with natural gradient and
 * parameter averaging", 2015, appendix B; the first estimate is made from the first matrix.
 */
public final class NaturalGradient {
  private static final int FIRST_UPDATES = 10;
  private static final int FIRST_PASSES = 3;

  /** Far below the accuracy of rows whose lengths are about one. */
  private static final float TINY = 1e-15f;

  private final Context context;
  private final Options options;
  private final int dim;

  /** W [rank, dim], H' X [rank, dim], H' H and J J' [rank, rank], of the last matrix. */
  private final Tensor<F32> w;

  private final Tensor<F32> j;
  private final Tensor<F32> l;
  private final Tensor<F32> k;

  /** W W' - 2 I; null if nobody asks for it. */
  private Tensor<F32> norm;

  private Tensor<F32> minusTwice;

  private final Tensor<F32> before;
  private final Tensor<F32> scale;

  /** For what comes from the host: [rank, rank] and [rank, 1]. */
  private final Tensor<F32> left;

  private final Tensor<F32> rows;
  private FisherFactor factor;
  private boolean frozen;
  private boolean started;
  private int steps;

  /**
   * Settings, with Kaldi's names.
   *
   * @param rank of the matrix of low rank; at most one less than the rows have columns
   * @param updatePeriod the estimate changes with each so-manieth matrix, after the first 10
   * @param numSamplesHistory rows after which a row's influence has gone down to 1/e
   * @param numMinibatchesHistory matrices, in place of rows; 0 for none
   * @param alpha how much the unit matrix is mixed in
   * @param epsilon least eigenvalue
   * @param delta least eigenvalue relative to the greatest
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

    /** How much the data of {@code rows} rows count against what was before. */
    double eta(int rows) {
      if (numMinibatchesHistory > 0) {
        return 1 / numMinibatchesHistory;
      }
      return Math.min(0.9, 1 - Math.exp(-rows / numSamplesHistory));
    }
  }

  /**
   * @param dim columns of the rows
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

  /** Orthogonal rows without a column of zeros. */
  private float[] firstW(int rank) {
    double root = Math.sqrt(factor.e()[0]);
    float[] first = new float[rank * dim];
    for (int row = 0; row < rank; row++) {
      int count = (dim - row + rank - 1) / rank;
      // The first element stands out, so that rows differ in more than their place.
      double length = Math.sqrt(1.1 * 1.1 + count - 1);
      for (int column = row; column < dim; column += rank) {
        first[row * dim + column] = (float) (root * (column == row ? 1.1 : 1) / length);
      }
    }
    return first;
  }

  /** Whether the estimate is kept as it is. */
  public void freeze(boolean freeze) {
    frozen = freeze;
  }

  /** Whether the next matrix changes the estimate. */
  public boolean updates() {
    return dim > 1
        && !frozen
        && (steps <= FIRST_UPDATES || (steps - FIRST_UPDATES) % options.updatePeriod == 0);
  }

  /** Whether there has been no matrix yet, from which the first estimate is made. */
  public boolean isNew() {
    return dim > 1 && !started;
  }

  /** Makes the first estimate from the first matrix x[n, dim], which stays as it is. */
  public void start(Tensor<F32> x) {
    start(new Rows.Whole(x));
  }

  void start(Rows x) {
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
   * Replaces x[n, dim] by what points in the better direction, and sets {@link #scale}. Only
   * assigns, so that it may be recorded.
   *
   * @param update whether {@link #done} is to change the estimate
   */
  public void precondition(Tensor<F32> x, boolean update) {
    if (dim == 1) {
      return;
    }
    var rows = new Rows.Whole(x);
    Tensor<F32> h = project(rows);
    if (update) {
      gather(rows, h);
    }
    context.assign(before, rows.sumOfSquares());
    context.assignSub(x, dot(h, w));
    scaleTo(sum(square(x)));
  }

  /**
   * The same for rows that stay as they are: what points in the better direction is {@code x - h
   * w}, where h is returned and w is {@link #w}.
   */
  Tensor<F32> project(Rows x, boolean update) {
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

  /** The matrix of low rank. */
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

  private Tensor<F32> project(Rows x) {
    Tensor<F32> h = context.empty(F32, x.count(), w.shape().dim(0));
    x.project(context, w, h);
    return h;
  }

  private void gather(Rows x, Tensor<F32> h) {
    x.gather(context, h, j);
    context.assign(l, dot(h.t(), h));
    context.assign(k, dot(j, j.t()));
  }

  /** The factor, of one element, that brings the sum of squares back to what it was. */
  public Tensor<F32> scale() {
    return scale;
  }

  /**
   * After {@link #precondition} has run: counts the matrix, and changes the estimate.
   *
   * @param count rows of the matrix
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
   * What has decayed becomes zero. Columns without derivatives, as of units that are never active,
   * would go down to numbers that processors are slow with, and take all products with them.
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
      // Rows that depend on each other: any others will do.
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
