package ristretto.nnet3.step;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.fill;
import static ristretto.expr.Ops.range;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Gradients;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.Component;
import ristretto.nnet3.matrix.Matrix;

/**
 * Backward context of one step of a component: the forward context and value, {@link #forward} and
 * {@link #y}, and the derivative of the value, {@link #dy}. A component sets the derivatives of its
 * input with {@link #input}, in column ranges of any order; columns that are not set have zero
 * derivatives. It sets those of its parameters with {@link #gradient}, {@link #product} or {@link
 * #derive}, which pass them to a {@link GradientSink}. Derivatives that are not wanted ({@link
 * #wants}, {@link #wantsParameters}) may be omitted.
 *
 * <p>All derivatives are expressions, evaluated by their readers. An expression passed here should
 * therefore be made of tensors and element-wise operations, or be a single product or reduction.
 * Subexpressions that are read several times are evaluated by {@link #inMemory} first.
 *
 * <p>A component within a recurrence is called for each step, for the derivatives of inputs from
 * within the recurrence, and then once for all rows of all steps, for the other inputs and for the
 * parameters: weight gradients of a recurrence are one product.
 */
public final class BackwardStep {
  private final Component component;
  private final ForwardStep forward;
  private final Supplier<Expr<F32>> y;
  private final Derivative dy;
  private final Wanted wanted;
  private final GradientSink sink;
  private final boolean parameters;
  private final List<Piece> pieces = new ArrayList<>();
  private final boolean whole;
  private Supplier<Expr<F32>> allOfY;
  private List<Piece> before = List.of();
  private Expr<F32> allOfDy;

  /** Derivative of a step's value. */
  public interface Derivative {
    /** Returns columns [from, to) of the derivative. */
    Expr<F32> columns(long from, long to);

    /** Returns all columns, evaluated. */
    Tensor<F32> inMemory();
  }

  /** Selection of input columns whose derivatives are wanted. */
  @FunctionalInterface
  public interface Wanted {
    /** Returns true if the derivative of any of the columns [from, to) is wanted. */
    boolean columns(long from, long to);
  }

  /** Product whose rows are contributions to rows of the input. */
  public static final class Spread {
    private final Tensor<F32> dy;
    private final Tensor<F32> w;
    private final int[] places;

    /**
     * Creates the product {@code dy w}.
     *
     * @param places for each row of dy along dimension 0 of three, the position of the input row,
     *     or -1
     */
    public Spread(Tensor<F32> dy, Tensor<F32> w, int[] places) {
      this.dy = dy;
      this.w = w;
      this.places = places;
    }

    /** Returns the left operand, {@code [rows, sequences, k]}. */
    public Tensor<F32> dy() {
      return dy;
    }

    /** Returns the right operand, {@code [k, d]}. */
    public Tensor<F32> w() {
      return w;
    }

    /** Returns, for each row of dy, the position of the input row, or -1. */
    public int[] places() {
      return places.clone();
    }
  }

  /**
   * Derivative of a range of input columns. If it is a sum of products, these are available
   * separately, so that a reader can accumulate them in place.
   */
  public static final class Piece {
    private final long from;
    private final long to;
    private final List<Spread> products;
    private final Supplier<Expr<F32>> whole;
    private Expr<F32> dx;

    private Piece(long from, long to, Supplier<Expr<F32>> whole, List<Spread> products) {
      this.from = from;
      this.to = to;
      this.whole = whole;
      this.products = products;
    }

    /** Creates a piece for columns [from, to). */
    public Piece(long from, long to, Expr<F32> dx) {
      this(from, to, () -> dx, List.of());
    }

    /** Returns the first column. */
    public long from() {
      return from;
    }

    /** Returns the end of the columns. */
    public long to() {
      return to;
    }

    /** Returns the derivative. */
    public Expr<F32> dx() {
      if (dx == null) {
        dx = whole.get();
      }
      return dx;
    }

    /** Returns the products whose sum is the derivative; empty if it is not a sum of products. */
    public List<Spread> products() {
      return products;
    }
  }

  /**
   * Creates the context of a step.
   *
   * @param forward the forward context, with the same input
   * @param y value that forward computed
   * @param dy derivative of that value
   * @param wanted input columns whose derivatives are wanted
   * @param whole true if the step has all rows of the node
   * @param parameters true if derivatives of parameters are wanted
   * @param sink receives derivatives of parameters
   */
  public BackwardStep(
      Component component,
      ForwardStep forward,
      Supplier<Expr<F32>> y,
      Derivative dy,
      Wanted wanted,
      boolean whole,
      boolean parameters,
      GradientSink sink) {
    this.component = component;
    this.forward = forward;
    this.y = y;
    this.allOfY = y;
    this.dy = dy;
    this.wanted = wanted;
    this.whole = whole;
    this.parameters = parameters && sink.wants(component);
    this.sink = sink;
  }

  /**
   * Sets the derivatives that the steps of a recurrence computed before, in memory, and returns
   * this context.
   */
  public BackwardStep after(List<Piece> said) {
    before = List.copyOf(said);
    return this;
  }

  /** Sets the value of all steps of a recurrence, and returns this context. */
  public BackwardStep ofSteps(Supplier<Expr<F32>> made) {
    allOfY = made;
    return this;
  }

  /**
   * Returns the derivative of input columns: the tensor that the steps of a recurrence computed,
   * which derivatives of parameters can reuse, or else {@code dx}.
   */
  public Expr<F32> said(long from, long to, Expr<F32> dx) {
    for (Piece piece : before) {
      if (piece.from <= from && to <= piece.to) {
        return ForwardStep.columns(piece.dx(), from - piece.from, to - piece.from);
      }
    }
    return dx;
  }

  /** Returns the forward context. */
  public ForwardStep forward() {
    return forward;
  }

  /** Returns the value that forward computed. */
  public Expr<F32> y() {
    return y.get();
  }

  /** Returns columns [from, to) of the value that forward computed. */
  public Expr<F32> y(long from, long to) {
    return ForwardStep.columns(y(), from, to);
  }

  /** Returns columns [from, to) of the value of all steps of a recurrence, or of the only step. */
  public Expr<F32> allOfY(long from, long to) {
    return ForwardStep.columns(allOfY.get(), from, to);
  }

  /** Returns the derivative of the value. */
  public Expr<F32> dy() {
    if (allOfDy == null) {
      allOfDy = dy.columns(0, component.outputDim());
    }
    return allOfDy;
  }

  /** Returns columns [from, to) of the derivative of the value. */
  public Expr<F32> dy(long from, long to) {
    return allOfDy == null ? dy.columns(from, to) : ForwardStep.columns(allOfDy, from, to);
  }

  /** Returns the derivative of the value, evaluated. */
  public Tensor<F32> dyInMemory() {
    if (!(allOfDy instanceof Tensor)) {
      allOfDy = dy.inMemory();
    }
    return (Tensor<F32>) allOfDy;
  }

  /**
   * Returns the derivative of the value for several readers: evaluated unless it is element-wise.
   */
  public Expr<F32> dyForSeveral() {
    return ForwardStep.isElementwise(dy()) ? dy() : dyInMemory();
  }

  /** Evaluates an expression, unless it is a tensor already. */
  public Tensor<F32> inMemory(Expr<F32> e) {
    return e instanceof Tensor<F32> t ? t : forward.deviceParameters().context().eval(e);
  }

  /** Evaluates expressions of one shape, in one kernel where possible. */
  @SafeVarargs
  public final List<Tensor<F32>> inMemory(Expr<F32>... all) {
    Context context = forward.deviceParameters().context();
    var memory = new ArrayList<Tensor<F32>>();
    var pairs = new Pair<?>[all.length];
    for (int k = 0; k < all.length; k++) {
      memory.add(context.empty(F32, all[k].shape()));
      pairs[k] = Pair.of(memory.get(k), all[k]);
    }
    context.assignAll(pairs);
    return memory;
  }

  /** Returns true if any derivative of the input is wanted. */
  public boolean wantsInput() {
    return wants(0, component.inputDim());
  }

  /** Returns true if derivatives of any of the input columns [from, to) are wanted. */
  public boolean wants(long from, long to) {
    return wanted.columns(from, to);
  }

  /**
   * Returns true if the derivative of a part of the input that overlaps these columns is wanted.
   */
  public boolean wantsSome(long from, long to) {
    long at = 0;
    boolean wants = false;
    for (ForwardStep.Columns part : forward.parts()) {
      long lo = Math.max(from, at);
      long hi = Math.min(to, at + part.dim());
      at += part.dim();
      wants |= lo < hi && wants(lo, hi);
    }
    return wants;
  }

  /** Returns true if derivatives of parameters are wanted. */
  public boolean wantsParameters() {
    return parameters;
  }

  /** Sets the derivative of the input. */
  public void input(Expr<F32> dx) {
    input(0, component.inputDim(), dx);
  }

  /** Sets the derivative of input columns [from, to); each column at most once. */
  public void input(long from, long to, Expr<F32> dx) {
    long at = 0;
    long start = -1;
    long end = from;
    for (ForwardStep.Columns part : forward.parts()) {
      long lo = Math.max(from, at);
      long hi = Math.min(to, at + part.dim());
      at += part.dim();
      if (lo < hi && wants(lo, hi)) {
        start = start < 0 ? lo : start;
        end = hi;
      } else if (lo < hi && start >= 0) {
        pieces.add(piece(from, dx, start, end));
        start = -1;
      }
    }
    if (start >= 0) {
      pieces.add(piece(from, dx, start, end));
    }
  }

  private static Piece piece(long from, Expr<F32> dx, long lo, long hi) {
    return new Piece(lo, hi, ForwardStep.columns(dx, lo - from, hi - from));
  }

  /**
   * Sets the derivative of input columns [from, to) as a sum of products.
   *
   * @param dx the sum as one expression, for readers that need it
   */
  public void input(long from, long to, List<Spread> products, Supplier<Expr<F32>> dx) {
    if (from < to && wants(from, to)) {
      pieces.add(new Piece(from, to, dx, products));
    }
  }

  /** Returns the derivatives of the input that the component has set. */
  public List<Piece> pieces() {
    return pieces;
  }

  /**
   * Returns the whole derivative of the input, zeros included; null if the component has set none.
   */
  public Expr<F32> dx() {
    if (pieces.isEmpty()) {
      return null;
    }
    var sorted = new ArrayList<>(pieces);
    sorted.sort(Comparator.comparingLong(Piece::from));
    var all = new ArrayList<Expr<F32>>();
    long done = 0;
    for (Piece piece : sorted) {
      zeros(piece.from - done, all);
      all.add(piece.dx());
      done = piece.to;
    }
    zeros(component.inputDim() - done, all);
    return ForwardStep.append(all);
  }

  private void zeros(long dim, List<Expr<F32>> to) {
    if (dim > 0) {
      to.add(fill(F32, 0, forward.inputRows().size(), forward.sequences(), dim));
    }
  }

  /** Adds to the derivative of a parameter; {@code gradient} has as many elements as the array. */
  public void gradient(float[] parameter, Expr<F32> gradient) {
    if (parameters && parameter.length > 0) {
      sink.gradient(component, parameter, gradient);
    }
  }

  /**
   * Adds to the derivative of a parameter one summand per row and sequence, or several blocks of
   * summands each.
   */
  public void rows(float[] parameter, Expr<F32> rows) {
    if (parameters && parameter.length > 0) {
      sink.rows(
          component,
          parameter,
          rows.reshape(rows.shape().size() / parameter.length, parameter.length));
    }
  }

  /**
   * Adds to the derivatives of w and bias in {@code x w' + bias}, with dy the derivative of the
   * result.
   */
  public void product(Matrix w, float[] bias, List<ForwardStep.Columns> x, Expr<F32> dy) {
    if (parameters) {
      sink.product(component, w, bias, x, inMemory(dy));
    }
  }

  /** Returns true if statistics of values and derivatives are wanted. */
  public boolean wantsStatistics() {
    return sink.wantsStatistics(component);
  }

  /** Returns true if this context covers all rows of the node, so that statistics are due. */
  public boolean isWhole() {
    return whole;
  }

  /** Returns true if statistics of a part's value are to be passed here. */
  public boolean gathersValues(Component part) {
    return whole && parameters && sink.wantsStatistics(part);
  }

  /** Returns the receiver of statistics. */
  public StatisticsSink statistics() {
    return sink;
  }

  /** Returns statistics so far; see {@link StatisticsSink#totals}. */
  public StatisticsSink.Totals totals(String name, long dim, boolean withThisStep) {
    return sink.totals(component, name, dim, withThisStep);
  }

  /** Passes statistics of derivatives; see {@link StatisticsSink#statistics}. */
  public void statistics(String name, Expr<F32> sum) {
    if (wantsStatistics()) {
      sink.statistics(component, name, sum, dy().shape().dim(0) * (double) dy().shape().dim(1));
    }
  }

  /**
   * Creates the backward context of a part of the component.
   *
   * @param step the part's forward context
   * @param made value of the part
   * @param derivative derivative of that value
   * @param wanted true if the derivative of the part's input is wanted
   */
  public BackwardStep part(
      Component part, ForwardStep step, Expr<F32> made, Expr<F32> derivative, boolean wanted) {
    return new BackwardStep(
        part,
        step,
        () -> made,
        new Derivative() {
          @Override
          public Expr<F32> columns(long from, long to) {
            return ForwardStep.columns(derivative, from, to);
          }

          @Override
          public Tensor<F32> inMemory() {
            return BackwardStep.this.inMemory(derivative);
          }
        },
        (from, to) -> wanted,
        whole,
        parameters,
        sink);
  }

  /** Sets all derivatives of {@code y = x w' + bias}, with x the input. */
  public void affine(Matrix w, float[] bias) {
    Tensor<F32> memory = dyInMemory();
    product(w, bias, forward.parts(), memory);
    dx(memory, forward.matrix(w));
  }

  /** Sets the derivative {@code dy w} of each range of input columns that is wanted. */
  public void dx(Expr<F32> dy, Tensor<F32> w) {
    var places = new int[(int) dy.shape().dim(0)];
    Arrays.setAll(places, k -> k);
    long from = 0;
    long done = 0;
    boolean open = false;
    for (ForwardStep.Columns part : forward.parts()) {
      boolean here = wants(done, done + part.dim());
      if (here && !open) {
        from = done;
      }
      if (!here && open) {
        product(from, done, dy, w, places);
      }
      open = here;
      done += part.dim();
    }
    if (open) {
      product(from, done, dy, w, places);
    }
  }

  private void product(long from, long to, Expr<F32> dy, Tensor<F32> w, int[] places) {
    Tensor<F32> columns = w.slice(all(), range(from, to));
    if (dy instanceof Tensor<F32> memory) {
      input(from, to, List.of(new Spread(memory, columns, places)), () -> times(memory, columns));
    } else {
      input(from, to, times(dy, columns));
    }
  }

  /** Returns {@code a w}: {@code a[rows, sequences, k], w[k, d] -> [rows, sequences, d]}. */
  public static Expr<F32> times(Expr<F32> a, Expr<F32> w) {
    long places = a.shape().dim(0);
    long sequences = a.shape().dim(1);
    Expr<F32> rows = a.reshape(places * sequences, a.shape().dim(2));
    return dot(rows, w).reshape(places, sequences, w.shape().dim(1));
  }

  /**
   * Sets the derivatives of a formula by the input and by parameters in the formula, by automatic
   * differentiation.
   */
  public void derive(Function<ForwardStep, Expr<F32>> formula, float[]... by) {
    ForwardStep f = forward.formula();
    Expr<F32> value = formula.apply(f);
    var leaves = new ArrayList<Expr<F32>>();
    long at = 0;
    for (ForwardStep.Columns part : f.parts()) {
      if (part.value() != null && wants(at, at + part.dim())) {
        leaves.add(part.value());
      }
      at += part.dim();
    }
    int inputs = leaves.size();
    var found = new ArrayList<float[]>();
    if (parameters) {
      for (float[] parameter : by) {
        Tensor<F32> leaf = f.deviceParameters().parameter(parameter);
        if (leaf != null) {
          leaves.add(leaf);
          found.add(parameter);
        }
      }
    }
    if (leaves.isEmpty()) {
      return;
    }
    Expr<F32> weight = leaves.size() > 1 ? dyInMemory() : dy();
    List<Expr<?>> gradients = Gradients.partial(value, weight, leaves);
    at = 0;
    int k = 0;
    for (ForwardStep.Columns part : f.parts()) {
      if (part.value() != null && wants(at, at + part.dim())) {
        input(at, at + part.dim(), f32(gradients.get(k++)));
      }
      at += part.dim();
    }
    for (int p = 0; inputs + p < leaves.size(); p++) {
      gradient(found.get(p), f32(gradients.get(inputs + p)));
    }
  }

  @SuppressWarnings("unchecked")
  private static Expr<F32> f32(Expr<?> e) {
    return (Expr<F32>) e;
  }
}
