package ristretto.nnet3.forward;

import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.range;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.expr.Tensor;

/**
 * Products of columns side by side with the transpose of a matrix: wide ones are multiplied where
 * they lie, and added up; narrow ones are gathered first; zeros are left out.
 */
public final class Products {
  /** Columns from which on a product of their own costs less than a copy. */
  private static final int WIDE = 64;

  private final Context context;
  private final Tensor<F32> weights;

  /** Of a matrix whose rows are outputs. */
  public Products(Context context, Tensor<F32> weights) {
    this.context = context;
    this.weights = weights;
  }

  /** Columns in memory, or to be gathered. */
  private record Run(int from, int to, List<Forward.Columns> values) {
    /** A row for each place and sequence. */
    Expr<F32> rows() {
      Expr<F32> x = appended();
      return x.reshape(x.shape().dim(0) * x.shape().dim(1), x.shape().dim(2));
    }

    Expr<F32> appended() {
      return values.size() == 1
          ? values.get(0).value()
          : Forward.append(values.stream().map(Forward.Columns::scaled).toList());
    }

    /** What the rows lack. */
    float factor() {
      return values.size() == 1 ? values.get(0).factor() : 1;
    }

    Expr<F32> scaled(Expr<F32> product) {
      return factor() == 1 ? product : product.times(factor());
    }
  }

  /** Sets {@code y}, of a row for each place and sequence. */
  public void assign(Tensor<F32> y, List<Forward.Columns> parts) {
    List<Run> runs = runs(parts);
    if (runs.isEmpty()) {
      context.assign(y, 0);
    }
    for (int k = 0; k < runs.size(); k++) {
      if (k == 0) {
        context.assign(y, product(runs.get(k)));
      } else {
        context.assignAdd(y, product(runs.get(k)));
      }
    }
  }

  /** Adds to {@code y}. */
  public void add(Tensor<F32> y, List<Forward.Columns> parts) {
    runs(parts).forEach(run -> context.assignAdd(y, product(run)));
  }

  /**
   * Sets the matrix to {@code dy' x}, or adds it, where {@code dy} has a row for each place and
   * sequence.
   */
  public void gradient(Expr<F32> dy, List<Forward.Columns> x, boolean adds) {
    gradient(dy, x, adds, UnaryOperator.identity());
  }

  /** The same, with what {@code then} makes of each of the products in place of it. */
  public void gradient(
      Expr<F32> dy, List<Forward.Columns> x, boolean adds, UnaryOperator<Expr<F32>> then) {
    if (!adds && x.stream().anyMatch(part -> part.value() == null)) {
      context.assign(weights, 0);
    }
    for (Run run : runs(x)) {
      Expr<F32> product = then.apply(run.scaled(dot(dy.t(), run.rows())));
      Tensor<F32> to = columns(run);
      if (adds) {
        context.assignAdd(to, product);
      } else {
        context.assign(to, product);
      }
    }
  }

  /**
   * The same columns for several products: all that would be gathered for each of them is memory.
   */
  public static List<Forward.Columns> inMemory(Context context, List<Forward.Columns> parts) {
    var all = new ArrayList<Forward.Columns>();
    int done = 0;
    for (Run run : runs(parts)) {
      if (run.from > done) {
        all.add(Forward.Columns.zeros(run.from - done));
      }
      Forward.Columns first = run.values.get(0);
      boolean there = run.values.size() == 1 && run.rows() instanceof Tensor;
      all.add(
          there
              ? first
              : new Forward.Columns(run.to - run.from, context.eval(run.appended()), run.factor()));
      done = run.to;
    }
    int end = parts.stream().mapToInt(Forward.Columns::dim).sum();
    if (end > done) {
      all.add(Forward.Columns.zeros(end - done));
    }
    return all;
  }

  private Expr<F32> product(Run run) {
    return run.scaled(dot(run.rows(), columns(run).t()));
  }

  private Tensor<F32> columns(Run run) {
    return weights.slice(all(), range(run.from, run.to));
  }

  private static List<Run> runs(List<Forward.Columns> parts) {
    var runs = new ArrayList<Run>();
    int from = 0;
    Run open = null;
    for (Forward.Columns part : parts) {
      int to = from + part.dim();
      if (part.value() == null || part.dim() >= WIDE) {
        open = null;
      }
      if (part.value() != null) {
        var values = new ArrayList<Forward.Columns>();
        if (open != null) {
          values.addAll(open.values);
          runs.remove(runs.size() - 1);
        }
        values.add(part);
        var run = new Run(open == null ? from : open.from, to, values);
        runs.add(run);
        open = part.dim() >= WIDE ? null : run;
      }
      from = to;
    }
    return runs;
  }
}
