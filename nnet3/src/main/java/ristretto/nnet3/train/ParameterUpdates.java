package ristretto.nnet3.train;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.at;
import static ristretto.expr.Ops.concat;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.square;
import static ristretto.expr.Ops.sum;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;
import ristretto.expr.type.F32;
import ristretto.nnet3.Component;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.NaturalGradientSettings;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.matrix.Matrix;
import ristretto.nnet3.step.ColumnProducts;
import ristretto.nnet3.step.ForwardStep;
import ristretto.nnet3.step.GradientSink;

/**
 * Converts derivatives of parameters to parameter changes: natural gradients times learning rates.
 * With momentum, changes are added to what the previous step left in the buffer.
 */
final class ParameterUpdates implements GradientSink {
  /** Statistics that a step gathers. */
  enum Gathers {
    NONE,
    /** Statistics that training itself reads. */
    NEEDED,
    /** Decaying statistics, which need every step. */
    FADING,
    ALL
  }

  /**
   * Maximum ratio of input to output columns at which correcting the product costs less than
   * copying and correcting the derivatives of the output.
   */
  private static final int NARROW = 2;

  private final Context context;
  private final ParameterBuffer buffer;
  private final LearningRates rates;
  private final Preconditioners preconditioners;
  private final StepStatistics statistics;

  private final Gathers gathers;

  /** True if changes are added to those of the previous step. */
  private final boolean adds;

  /** Derivatives of components that precondition all parameters together, until all are known. */
  private final Map<Component, Map<float[], Expr<F32>>> apart = new IdentityHashMap<>();

  private final Set<float[]> touched = Collections.newSetFromMap(new IdentityHashMap<>());

  ParameterUpdates(
      Context context,
      ParameterBuffer buffer,
      LearningRates rates,
      Preconditioners preconditioners,
      StepStatistics statistics,
      Gathers gathers,
      boolean adds) {
    this.context = context;
    this.buffer = buffer;
    this.rates = rates;
    this.preconditioners = preconditioners;
    this.statistics = statistics;
    this.gathers = gathers;
    this.adds = adds;
  }

  @Override
  public boolean wants(Component component) {
    return component instanceof UpdatableComponent updatable && updatable.learningRate() != 0;
  }

  @Override
  public void gradient(Component component, float[] parameter, Expr<F32> gradient) {
    var updatable = (UpdatableComponent) component;
    if (updatable.gradientPreconditioning() != null) {
      List<float[]> all = updatable.parameters();
      Map<float[], Expr<F32>> parts =
          apart.computeIfAbsent(component, _ -> new IdentityHashMap<>());
      parts.put(parameter, gradient);
      if (parts.keySet().containsAll(all)) {
        apart.remove(component);
        together(updatable, all, parts);
      }
      return;
    }
    change(
        parameter,
        buffer.change(parameter),
        gradient.reshape(parameter.length).times(rates.learning(component)));
  }

  /**
   * Applies the natural gradient to the rows of all parameters of a component, concatenated to a
   * matrix, and then to its columns if the component wants that.
   */
  private void together(
      UpdatableComponent component, List<float[]> all, Map<float[], Expr<F32>> parts) {
    long count = component.gradientRows();
    var sides = new ArrayList<Expr<F32>>();
    all.forEach(p -> sides.add(parts.get(p).reshape(count, p.length / count)));
    Expr<F32> rate = rates.learning(component);
    Tensor<F32> rows = inMemory(sides.size() == 1 ? sides.get(0) : concat(1, sides));
    rate =
        rate.times(
            preconditioners.apply(
                all.get(0), "gradient", component.gradientPreconditioning(), rows));
    NaturalGradientSettings ofColumns = component.columnPreconditioning();
    if (ofColumns != null) {
      Tensor<F32> columns = inMemory(rows.t());
      rate = rate.times(preconditioners.apply(all.get(0), "columns", ofColumns, columns));
      context.assign(rows, columns.t());
    }
    long at = 0;
    for (float[] parameter : all) {
      long end = at + parameter.length / count;
      Tensor<F32> change = buffer.change(parameter).reshape(count, end - at);
      change(parameter, change, rows.slice(all(), range(at, end)).times(rate));
      at = end;
    }
  }

  @Override
  public void rows(Component component, float[] parameter, Expr<F32> rows) {
    NaturalGradientSettings how = ((UpdatableComponent) component).rowPreconditioning();
    if (how == null) {
      gradient(component, parameter, sum(rows, 0));
      return;
    }
    Tensor<F32> natural = inMemory(rows);
    Expr<F32> rate =
        rates.learning(component).times(preconditioners.apply(parameter, "rows", how, natural));
    change(parameter, buffer.change(parameter), sum(natural, 0).times(rate));
  }

  private Tensor<F32> inMemory(Expr<F32> e) {
    Tensor<F32> memory = context.empty(F32, e.shape());
    context.assign(memory, e);
    return memory;
  }

  @Override
  public void product(
      Component component, Matrix w, float[] bias, List<ForwardStep.Columns> x, Expr<F32> dy) {
    var updatable = (UpdatableComponent) component;
    int rows = Math.toIntExact(dy.shape().dim(0) * dy.shape().dim(1));
    boolean biased = bias.length > 0;
    NaturalGradientSettings ofInput = updatable.inputPreconditioning();
    NaturalGradientSettings ofOutput = updatable.outputPreconditioning();
    var in = new PreconditionedRows.SideBySide(ColumnProducts.inMemory(context, x), biased, rows);
    Expr<F32> out = dy.reshape(rows, dy.shape().dim(2));
    Expr<F32> rate = rates.learning(component);
    Preconditioners.Low lowIn = null;
    if (ofInput != null && in.dim() > 1) {
      lowIn = preconditioners.low(w.data(), "in", ofInput, in);
      rate = rate.times(lowIn.scale());
    }
    Expr<F32> sums = biased ? sum(out, 0) : null;
    Preconditioners.Low lowOut = null;
    if (ofOutput != null && w.rows() > 1 && in.dim() <= NARROW * w.rows()) {
      Tensor<F32> squares = null;
      Tensor<F32> stays = memory(out);
      if (biased) {
        Tensor<F32> ofBias = context.empty(F32, w.rows());
        squares = context.empty(F32, w.rows());
        context.assignAll(Pair.of(ofBias, sum(stays, 0)), Pair.of(squares, sum(square(stays), 0)));
        sums = ofBias;
      }
      out = stays;
      var whole = new PreconditionedRows.Whole(stays, squares);
      lowOut = preconditioners.low(w.data(), "out", ofOutput, whole);
      rate = rate.times(lowOut.scale());
    } else if (ofOutput != null) {
      Tensor<F32> copy = inMemory(out);
      rate = rate.times(preconditioners.apply(w.data(), "out", ofOutput, copy));
      out = copy;
      sums = biased ? sum(out, 0) : null;
    }
    Tensor<F32> dw = buffer.change(w.data()).reshape(w.rows(), w.cols());
    Expr<F32> by = lowIn == null && lowOut == null ? rate : context.eval(rate);
    new ColumnProducts(context, dw)
        .gradient(out, in.columns(), adds(w.data()), dot -> dot.times(by));
    Tensor<F32> db = biased ? buffer.change(bias) : null;
    if (biased) {
      change(bias, db, sums.times(by));
    }
    if (lowOut != null) {
      // The output side is preconditioned as dy - h w without changing dy; here its share is
      // subtracted from the products.
      Tensor<F32> all = context.empty(F32, lowOut.w().shape().dim(0), in.dim());
      in.gather(context, lowOut.h(), all);
      subtract(dw, db, lowOut.w().t(), context.eval(all.times(by)));
    }
    if (lowIn != null) {
      // The input side is preconditioned as x - h w without changing x; here its share is
      // subtracted.
      Expr<F32> less = dot(out.t(), lowIn.h());
      if (lowOut != null) {
        Tensor<F32> both = context.eval(dot(lowOut.h().t(), lowIn.h()));
        Tensor<F32> rest = context.eval(less);
        context.assignSub(rest, dot(lowOut.w().t(), both));
        less = rest;
      }
      subtract(dw, db, context.eval(less.times(by)), lowIn.w());
    }
  }

  /** Subtracts a product, whose last column belongs to the bias if there is one. */
  private void subtract(Tensor<F32> dw, Tensor<F32> db, Tensor<F32> a, Tensor<F32> b) {
    long cols = dw.shape().dim(1);
    context.assignSub(dw, dot(a, b.slice(all(), range(0, cols))));
    if (db != null) {
      context.assignSub(db, dot(a, b.slice(all(), at(cols))));
    }
  }

  private Tensor<F32> memory(Expr<F32> e) {
    return e instanceof Tensor<F32> t ? t : context.eval(e);
  }

  /** Returns true if the change is added to the buffer instead of assigned. */
  private boolean adds(float[] parameter) {
    return !touched.add(parameter) || adds;
  }

  private void change(float[] parameter, Tensor<F32> memory, Expr<F32> by) {
    if (adds(parameter)) {
      context.assignAdd(memory, by);
    } else {
      context.assign(memory, by);
    }
  }

  @Override
  public Totals totals(Component component, String name, long dim, boolean withThisStep) {
    boolean some =
        gathers == Gathers.FADING
            || gathers == Gathers.ALL
            || ((ComponentBase) component).alwaysGathersStatistics();
    return some ? statistics.totals(component, name, dim, withThisStep) : null;
  }

  @Override
  public boolean wantsStatistics(Component component) {
    var base = (ComponentBase) component;
    return switch (gathers) {
      case NONE -> false;
      case NEEDED -> base.alwaysGathersStatistics();
      case FADING -> base.fadingStatistics();
      case ALL -> true;
    };
  }

  @Override
  public void statistics(Component component, String name, Expr<F32> sum, double count) {
    if (wantsStatistics(component)) {
      statistics.add(component, name, sum, count);
    }
  }

  /** Completes a step after its derivatives; parameters without derivatives get a zero change. */
  void finish() {
    statistics.endStep();
    if (!adds) {
      for (float[] parameter : buffer.arrays()) {
        if (parameter.length > 0 && !touched.contains(parameter)) {
          context.assign(buffer.change(parameter), 0);
        }
      }
    }
  }
}
