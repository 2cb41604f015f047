package ristretto.nnet3.step;

import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.range;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.function.UnaryOperator;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.matrix.Matrix;

/**
 * Products of concatenated columns with a transposed matrix. Wide columns are multiplied in place
 * and accumulated, narrow ones are gathered first, zeros are skipped.
 */
public final class ColumnProducts {
  /** Minimum number of columns for which a separate product costs less than a copy. */
  private static final int WIDE = 48;

  /** Number of rows from which on a matrix is read often enough, whatever its layout. */
  private static final int MANY = 512;

  /** Maximum number of elements of a matrix that stays in a cache. */
  private static final long CACHED = 1 << 19;

  /** Number of result columns from which on the result is not padded. */
  private static final int VERY_WIDE = 1024;

  private final Context context;

  /** Matrix in its own layout; null if it is read in panels. */
  private final Tensor<F32> weights;

  /** Matrix in panels; null if it is read in its own layout. */
  private final InPanels inPanels;

  private final long columns;

  /** Supplier of panels for columns [from, to) of the matrix. */
  private interface InPanels {
    PanelMatrix of(int from, int to);
  }

  /** Products with a matrix whose rows are outputs. */
  public ColumnProducts(Context context, Tensor<F32> weights) {
    this(context, weights, null, weights.shape().dim(0));
  }

  private ColumnProducts(Context context, Tensor<F32> weights, InPanels inPanels, long columns) {
    this.context = context;
    this.weights = weights;
    this.inPanels = inPanels;
    this.columns = columns;
  }

  /**
   * Products with parameters, in panels if that is faster for this number of rows and parts. A
   * single row reads the matrix in its own layout, and so do many rows if the matrix exceeds the
   * cache. Very wide results are not padded, because they are rows of outputs, which are computed
   * directly into their target.
   */
  public static ColumnProducts of(
      DeviceParameters deviceParameters,
      Matrix parameters,
      long rows,
      List<ForwardStep.Columns> parts) {
    long dim = parts.stream().mapToInt(ForwardStep.Columns::dim).max().orElse(0);
    boolean pays = rows > 1 && (rows < MANY || dim * parameters.rows() <= CACHED);
    int columns = pays ? deviceParameters.panelColumns(parameters) : 0;
    boolean padded = columns > 0 && parameters.rows() % columns != 0;
    return columns > 0 && !(padded && parameters.rows() >= VERY_WIDE)
        ? inPanels(deviceParameters, parameters, columns)
        : new ColumnProducts(deviceParameters.context(), deviceParameters.matrix(parameters));
  }

  private static ColumnProducts inPanels(
      DeviceParameters deviceParameters, Matrix parameters, int columns) {
    return new ColumnProducts(
        deviceParameters.context(),
        null,
        (from, to) -> deviceParameters.panels(parameters, from, to, columns),
        Math.ceilDiv(parameters.rows(), columns) * (long) columns);
  }

  /**
   * Products with parameters for the steps of a recurrence, without padding of the result. The
   * parameters are constant over the steps, so packing panels before the first step pays off.
   *
   * @param sequences a single sequence reads the matrix in its own layout
   */
  public static ColumnProducts ofSteps(
      DeviceParameters deviceParameters, Matrix parameters, long sequences) {
    Context context = deviceParameters.context();
    int columns = sequences > 1 ? context.panelColumns(parameters.rows()) : 0;
    if (columns == 0 || parameters.rows() % columns != 0) {
      return new ColumnProducts(context, deviceParameters.matrix(parameters));
    }
    if (!deviceParameters.isPlaced(parameters.data())) {
      return inPanels(deviceParameters, parameters, columns);
    }
    Tensor<F32> weights = deviceParameters.matrix(parameters);
    var made = new HashMap<List<Integer>, PanelMatrix>();
    return new ColumnProducts(
        context,
        null,
        (from, to) ->
            made.computeIfAbsent(
                List.of(from, to), _ -> PanelMatrix.of(context, weights, from, to, columns)),
        parameters.rows());
  }

  /** Returns the number of columns that {@link #assign} writes, padding included. */
  public long columns() {
    return columns;
  }

  /** Columns that are in memory, or to be gathered. */
  private record Run(int from, int to, List<ForwardStep.Columns> values) {
    /** Returns the columns as a matrix, rows and sequences flattened to one dimension. */
    Expr<F32> rows() {
      Expr<F32> x = appended();
      return x.reshape(x.shape().dim(0) * x.shape().dim(1), x.shape().dim(2));
    }

    Expr<F32> appended() {
      return values.size() == 1
          ? values.get(0).value()
          : ForwardStep.append(values.stream().map(ForwardStep.Columns::scaled).toList());
    }

    /** Returns the factor that the rows do not include. */
    float factor() {
      return values.size() == 1 ? values.get(0).factor() : 1;
    }

    Expr<F32> scaled(Expr<F32> product) {
      return factor() == 1 ? product : product.times(factor());
    }
  }

  /** Assigns the product to {@code y[rows * sequences, columns]}. */
  public void assign(Tensor<F32> y, List<ForwardStep.Columns> parts) {
    List<Run> runs = runs(parts);
    if (runs.isEmpty()) {
      context.assign(y, 0);
    }
    for (int k = 0; k < runs.size(); k++) {
      write(y, runs.get(k), k > 0);
    }
  }

  /** Adds the product to {@code y[rows * sequences, columns]}. */
  public void add(Tensor<F32> y, List<ForwardStep.Columns> parts) {
    runs(parts).forEach(run -> write(y, run, true));
  }

  private void write(Tensor<F32> y, Run run, boolean adds) {
    Tensor<F32> to = y;
    Expr<F32> product;
    if (inPanels == null) {
      product = run.scaled(dot(run.rows(), columns(run).t()));
    } else {
      PanelMatrix panels = inPanels.of(run.from, run.to);
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
   * Assigns {@code dy' x} to the matrix, or adds the product, with {@code dy[rows * sequences, k]}.
   */
  public void gradient(Expr<F32> dy, List<ForwardStep.Columns> x, boolean adds) {
    gradient(dy, x, adds, UnaryOperator.identity());
  }

  /**
   * Assigns or adds {@code then(dy' x)} instead of {@code dy' x}, for each of the partial products.
   */
  public void gradient(
      Expr<F32> dy, List<ForwardStep.Columns> x, boolean adds, UnaryOperator<Expr<F32>> then) {
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

  /** Evaluates the columns that products would gather, so that several products can share them. */
  public static List<ForwardStep.Columns> inMemory(
      Context context, List<ForwardStep.Columns> parts) {
    var all = new ArrayList<ForwardStep.Columns>();
    int done = 0;
    for (Run run : runs(parts)) {
      if (run.from > done) {
        all.add(ForwardStep.Columns.zeros(run.from - done));
      }
      ForwardStep.Columns first = run.values.get(0);
      boolean there = run.values.size() == 1 && run.rows() instanceof Tensor;
      all.add(
          there
              ? first
              : new ForwardStep.Columns(
                  run.to - run.from, context.eval(run.appended()), run.factor()));
      done = run.to;
    }
    int end = parts.stream().mapToInt(ForwardStep.Columns::dim).sum();
    if (end > done) {
      all.add(ForwardStep.Columns.zeros(end - done));
    }
    return all;
  }

  private Tensor<F32> columns(Run run) {
    return weights.slice(all(), range(run.from, run.to));
  }

  private static List<Run> runs(List<ForwardStep.Columns> parts) {
    var runs = new ArrayList<Run>();
    int from = 0;
    Run open = null;
    for (ForwardStep.Columns part : parts) {
      int to = from + part.dim();
      if (part.value() == null || part.dim() >= WIDE) {
        open = null;
      }
      if (part.value() != null) {
        var values = new ArrayList<ForwardStep.Columns>();
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
