package ristretto.nnet3.forward;

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
import ristretto.expr.F32;
import ristretto.expr.Gradients;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;
import ristretto.nnet3.Component;
import ristretto.nnet3.io.Matrix;

/**
 * One step of a component backwards. It knows what forward read and made, {@link #forward} and
 * {@link #y}, and the derivative of what it made, {@link #dy}. A component says the derivatives of
 * its input, by columns in any pieces and any order, with {@link #input}; where nothing is said
 * they are zero. Those of its parameters it says with {@link #gradient}, {@link #product} or {@link
 * #derive}; they go to a {@link GradientSink}. What is not wanted ({@link #wants}, {@link
 * #wantsParameters}) need not be said.
 *
 * <p>All are expressions. Nothing is computed until whoever asked for it puts it into memory, so
 * what is said here should be made of memory and element-wise operations, or be a product or a
 * reduction as a whole. What an expression reads several times is made memory by {@link #inMemory}
 * first.
 *
 * <p>A component within a recurrence is asked step by step for the derivatives of what comes from
 * within, and then once, with all rows of all steps, for what is left and for the parameters:
 * weight gradients of a recurrence are one product.
 */
public final class Backward {
  private final Component component;
  private final Forward forward;
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

  /** The derivative of what a step made. */
  public interface Derivative {
    /** From one column to another. */
    Expr<F32> columns(long from, long to);

    /** All columns in memory. */
    Tensor<F32> inMemory();
  }

  /** Which derivatives of the input are wanted. */
  @FunctionalInterface
  public interface Wanted {
    /** Whether some of these columns are. */
    boolean columns(long from, long to);
  }

  /** A product of rows, each of which counts for a row of the input. */
  public static final class Spread {
    private final Tensor<F32> dy;
    private final Tensor<F32> w;
    private final int[] places;

    /**
     * The product {@code dy w}.
     *
     * @param places the row of the input for each row of dy along axis 0 of three, or -1
     */
    public Spread(Tensor<F32> dy, Tensor<F32> w, int[] places) {
      this.dy = dy;
      this.w = w;
      this.places = places;
    }

    /** What is multiplied. */
    public Tensor<F32> dy() {
      return dy;
    }

    /** By which it is multiplied. */
    public Tensor<F32> w() {
      return w;
    }

    /** For each row of dy a row of the input, or -1. */
    public int[] places() {
      return places.clone();
    }
  }

  /**
   * The derivative of some columns of the input. If it is a sum of products, these are known too:
   * they can be added up where the derivative is wanted.
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

    /** Columns with their derivative. */
    public Piece(long from, long to, Expr<F32> dx) {
      this(from, to, () -> dx, List.of());
    }

    /** The first column. */
    public long from() {
      return from;
    }

    /** The end of the columns. */
    public long to() {
      return to;
    }

    /** The derivative. */
    public Expr<F32> dx() {
      if (dx == null) {
        dx = whole.get();
      }
      return dx;
    }

    /** The products of which it is the sum; none if it is something else. */
    public List<Spread> products() {
      return products;
    }
  }

  /**
   * A step.
   *
   * @param forward with the input as forward had it
   * @param y what forward made
   * @param dy its derivative
   * @param wanted which derivatives of the input are
   * @param whole whether the step has all rows
   * @param parameters whether derivatives of parameters are wanted
   * @param sink takes them
   */
  public Backward(
      Component component,
      Forward forward,
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

  /** What the steps of a recurrence, all of which are done, said before, in memory. */
  public Backward after(List<Piece> said) {
    before = List.copyOf(said);
    return this;
  }

  /** What all steps of a recurrence made, of which this is one. */
  public Backward ofSteps(Supplier<Expr<F32>> made) {
    allOfY = made;
    return this;
  }

  /**
   * The derivative of columns of the input, as an expression, or as memory where the steps of a
   * recurrence have said it: it need not be computed again for the derivatives of parameters.
   */
  public Expr<F32> said(long from, long to, Expr<F32> dx) {
    for (Piece piece : before) {
      if (piece.from <= from && to <= piece.to) {
        return Forward.columns(piece.dx(), from - piece.from, to - piece.from);
      }
    }
    return dx;
  }

  /** The step forwards. */
  public Forward forward() {
    return forward;
  }

  /** What forward made. */
  public Expr<F32> y() {
    return y.get();
  }

  /** Columns of what forward made. */
  public Expr<F32> y(long from, long to) {
    return Forward.columns(y(), from, to);
  }

  /** The same of all steps of a recurrence; where there is one step only, of that. */
  public Expr<F32> allOfY(long from, long to) {
    return Forward.columns(allOfY.get(), from, to);
  }

  /** The derivative of what forward made. */
  public Expr<F32> dy() {
    if (allOfDy == null) {
      allOfDy = dy.columns(0, component.outputDim());
    }
    return allOfDy;
  }

  /** Columns of the derivative of what forward made. */
  public Expr<F32> dy(long from, long to) {
    return allOfDy == null ? dy.columns(from, to) : Forward.columns(allOfDy, from, to);
  }

  /** The derivative of what forward made, in memory. */
  public Tensor<F32> dyInMemory() {
    if (!(allOfDy instanceof Tensor)) {
      allOfDy = dy.inMemory();
    }
    return (Tensor<F32>) allOfDy;
  }

  /** The derivative of what forward made, for several readers: in memory unless it is cheap. */
  public Expr<F32> dyForSeveral() {
    return Forward.isElementwise(dy()) ? dy() : dyInMemory();
  }

  /** Computes an expression now, unless it is memory. */
  public Tensor<F32> inMemory(Expr<F32> e) {
    return e instanceof Tensor<F32> t ? t : forward.resident().context().eval(e);
  }

  /** Computes expressions of one shape, in one kernel where possible. */
  @SafeVarargs
  public final List<Tensor<F32>> inMemory(Expr<F32>... all) {
    Context context = forward.resident().context();
    var memory = new ArrayList<Tensor<F32>>();
    var pairs = new Pair<?>[all.length];
    for (int k = 0; k < all.length; k++) {
      memory.add(context.empty(F32, all[k].shape()));
      pairs[k] = Pair.of(memory.get(k), all[k]);
    }
    context.assignAll(pairs);
    return memory;
  }

  /** Whether any derivative of the input is wanted. */
  public boolean wantsInput() {
    return wants(0, component.inputDim());
  }

  /** Whether derivatives of some of these columns of the input are wanted. */
  public boolean wants(long from, long to) {
    return wanted.columns(from, to);
  }

  /** Whether there is a part of these columns whose derivative is wanted. */
  public boolean wantsSome(long from, long to) {
    long at = 0;
    boolean wants = false;
    for (Forward.Columns part : forward.parts()) {
      long lo = Math.max(from, at);
      long hi = Math.min(to, at + part.dim());
      at += part.dim();
      wants |= lo < hi && wants(lo, hi);
    }
    return wants;
  }

  /** Whether derivatives of parameters are wanted. */
  public boolean wantsParameters() {
    return parameters;
  }

  /** The derivative of the input. */
  public void input(Expr<F32> dx) {
    input(0, component.inputDim(), dx);
  }

  /** The derivative of columns of the input; no column twice. */
  public void input(long from, long to, Expr<F32> dx) {
    long at = 0;
    long start = -1;
    long end = from;
    for (Forward.Columns part : forward.parts()) {
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
    return new Piece(lo, hi, Forward.columns(dx, lo - from, hi - from));
  }

  /**
   * The derivative of columns of the input as a sum of products.
   *
   * @param dx the same as one expression, where that is needed
   */
  public void input(long from, long to, List<Spread> products, Supplier<Expr<F32>> dx) {
    if (from < to && wants(from, to)) {
      pieces.add(new Piece(from, to, dx, products));
    }
  }

  /** What the component said about its input. */
  public List<Piece> pieces() {
    return pieces;
  }

  /** All that the component said about its input side by side; null if it said nothing. */
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
    return Forward.append(all);
  }

  private void zeros(long dim, List<Expr<F32>> to) {
    if (dim > 0) {
      to.add(fill(F32, 0, forward.inputRows().size(), forward.sequences(), dim));
    }
  }

  /** The derivative of a parameter, as many numbers as the array has. */
  public void gradient(float[] parameter, Expr<F32> gradient) {
    if (parameters && parameter.length > 0) {
      sink.gradient(component, parameter, gradient);
    }
  }

  /** The derivative of a parameter for each place and sequence, or for several blocks of each. */
  public void rows(float[] parameter, Expr<F32> rows) {
    if (parameters && parameter.length > 0) {
      sink.rows(
          component,
          parameter,
          rows.reshape(rows.shape().size() / parameter.length, parameter.length));
    }
  }

  /** The derivatives of {@code x w' + bias} by w and bias; dy is that of the product. */
  public void product(Matrix w, float[] bias, List<Forward.Columns> x, Expr<F32> dy) {
    if (parameters) {
      sink.product(component, w, bias, x, inMemory(dy));
    }
  }

  /** Whether statistics of values and derivatives are wanted. */
  public boolean wantsStatistics() {
    return sink.wantsStatistics(component);
  }

  /** Whether this is not one of several steps: when statistics are to be said. */
  public boolean isWhole() {
    return whole;
  }

  /** Whether statistics of what a part of the component made are to be said here. */
  public boolean gathersValues(Component part) {
    return whole && parameters && sink.wantsStatistics(part);
  }

  /** Takes statistics. */
  public StatisticsSink statistics() {
    return sink;
  }

  /** Statistics so far; see {@link StatisticsSink#totals}. */
  public StatisticsSink.Totals totals(String name, long dim, boolean withThisStep) {
    return sink.totals(component, name, dim, withThisStep);
  }

  /** Statistics of derivatives; see {@link StatisticsSink#statistics}. */
  public void statistics(String name, Expr<F32> sum) {
    if (wantsStatistics()) {
      sink.statistics(component, name, sum, dy().shape().dim(0) * (double) dy().shape().dim(1));
    }
  }

  /**
   * The same for a part of the component.
   *
   * @param step the part's forward step
   * @param made what the part made
   * @param derivative of what it made
   * @param wanted whether the derivative of what the part read is wanted
   */
  public Backward part(
      Component part, Forward step, Expr<F32> made, Expr<F32> derivative, boolean wanted) {
    return new Backward(
        part,
        step,
        () -> made,
        new Derivative() {
          @Override
          public Expr<F32> columns(long from, long to) {
            return Forward.columns(derivative, from, to);
          }

          @Override
          public Tensor<F32> inMemory() {
            return Backward.this.inMemory(derivative);
          }
        },
        (from, to) -> wanted,
        whole,
        parameters,
        sink);
  }

  /** Everything about {@code y = x w' + bias}, where x is the input. */
  public void affine(Matrix w, float[] bias) {
    Tensor<F32> memory = dyInMemory();
    product(w, bias, forward.parts(), memory);
    dx(memory, forward.matrix(w));
  }

  /** Says {@code dy w} for each run of columns that are wanted. */
  public void dx(Expr<F32> dy, Tensor<F32> w) {
    var places = new int[(int) dy.shape().dim(0)];
    Arrays.setAll(places, k -> k);
    long from = 0;
    long done = 0;
    boolean open = false;
    for (Forward.Columns part : forward.parts()) {
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

  /** {@code a w} for each place and sequence. */
  public static Expr<F32> times(Expr<F32> a, Expr<F32> w) {
    long places = a.shape().dim(0);
    long sequences = a.shape().dim(1);
    Expr<F32> rows = a.reshape(places * sequences, a.shape().dim(2));
    return dot(rows, w).reshape(places, sequences, w.shape().dim(1));
  }

  /** Derivatives of a formula, by the input and by parameters in it. */
  public void derive(Function<Forward, Expr<F32>> formula, float[]... by) {
    Forward f = forward.formula();
    Expr<F32> value = formula.apply(f);
    var leaves = new ArrayList<Expr<F32>>();
    long at = 0;
    for (Forward.Columns part : f.parts()) {
      if (part.value() != null && wants(at, at + part.dim())) {
        leaves.add(part.value());
      }
      at += part.dim();
    }
    int inputs = leaves.size();
    var found = new ArrayList<float[]>();
    if (parameters) {
      for (float[] parameter : by) {
        Tensor<F32> leaf = f.resident().parameter(parameter);
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
    for (Forward.Columns part : f.parts()) {
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
