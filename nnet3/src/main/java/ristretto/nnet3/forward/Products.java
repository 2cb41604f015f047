package ristretto.nnet3.forward;

import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.range;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.function.UnaryOperator;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.expr.Tensor;
import ristretto.nnet3.io.Matrix;

/**
 * Products of columns side by side with the transpose of a matrix: wide ones are multiplied where
 * they lie, and added up; narrow ones are gathered first; zeros are left out.
 */
public final class Products {
  /** Columns from which on a product of their own costs less than a copy. */
  private static final int WIDE = 48;

  /** So many rows that a matrix is read often whatever its form. */
  private static final int MANY = 512;

  /** Elements of a matrix that stays in a cache. */
  private static final long CACHED = 1 << 19;

  /** Columns of a result that has no room for zeros. */
  private static final int VERY_WIDE = 1024;

  private final Context context;

  /** Null if it is read in panels. */
  private final Tensor<F32> weights;

  /** Null if the matrix is read as it is. */
  private final InPanels inPanels;

  private final long columns;

  /** Columns of the matrix, transposed and in panels. */
  private interface InPanels {
    Panels of(int from, int to);
  }

  /** Of a matrix whose rows are outputs. */
  public Products(Context context, Tensor<F32> weights) {
    this(context, weights, null, weights.shape().dim(0));
  }

  private Products(Context context, Tensor<F32> weights, InPanels inPanels, long columns) {
    this.context = context;
    this.weights = weights;
    this.inPanels = inPanels;
    this.columns = columns;
  }

  /**
   * Of parameters: in panels if products of so many rows and parts are quicker so. A single row
   * reads the matrix as it is, and so do many rows if it does not fit into a cache. Zeros at the
   * end of very wide rows are not worth it, because those are rows of outputs, which are computed
   * where they are wanted.
   */
  public static Products of(
      Resident resident, Matrix parameters, long rows, List<Forward.Columns> parts) {
    long dim = parts.stream().mapToInt(Forward.Columns::dim).max().orElse(0);
    boolean pays = rows > 1 && (rows < MANY || dim * parameters.rows() <= CACHED);
    int columns = pays ? resident.panelColumns(parameters) : 0;
    boolean padded = columns > 0 && parameters.rows() % columns != 0;
    return columns > 0 && !(padded && parameters.rows() >= VERY_WIDE)
        ? inPanels(resident, parameters, columns)
        : new Products(resident.context(), resident.matrix(parameters));
  }

  private static Products inPanels(Resident resident, Matrix parameters, int columns) {
    return new Products(
        resident.context(),
        null,
        (from, to) -> resident.panels(parameters, from, to, columns),
        Math.ceilDiv(parameters.rows(), columns) * (long) columns);
  }

  /**
   * Of parameters, one step of a recurrence after the other, with memory for just the outputs. They
   * do not change from step to step, so it pays to make panels of them before the first.
   *
   * @param sequences a single row reads the matrix as it is
   */
  public static Products ofSteps(Resident resident, Matrix parameters, long sequences) {
    Context context = resident.context();
    int columns = sequences > 1 ? context.panelColumns(parameters.rows()) : 0;
    if (columns == 0 || parameters.rows() % columns != 0) {
      return new Products(context, resident.matrix(parameters));
    }
    if (!resident.isPlaced(parameters.data())) {
      return inPanels(resident, parameters, columns);
    }
    Tensor<F32> weights = resident.matrix(parameters);
    var made = new HashMap<List<Integer>, Panels>();
    return new Products(
        context,
        null,
        (from, to) ->
            made.computeIfAbsent(
                List.of(from, to), _ -> Panels.of(context, weights, from, to, columns)),
        parameters.rows());
  }

  /** Columns of the memory that {@link #assign} writes; some of them may be more than outputs. */
  public long columns() {
    return columns;
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
      write(y, runs.get(k), k > 0);
    }
  }

  /** Adds to {@code y}. */
  public void add(Tensor<F32> y, List<Forward.Columns> parts) {
    runs(parts).forEach(run -> write(y, run, true));
  }

  private void write(Tensor<F32> y, Run run, boolean adds) {
    Tensor<F32> to = y;
    Expr<F32> product;
    if (inPanels == null) {
      product = run.scaled(dot(run.rows(), columns(run).t()));
    } else {
      Panels panels = inPanels.of(run.from, run.to);
      to = panels.target(y);
      product = run.scaled(panels.product(run.rows()));
    }
    if (adds) {
      context.assignAdd(to, product);
    } else {
      context.assign(to, product);
    }
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
