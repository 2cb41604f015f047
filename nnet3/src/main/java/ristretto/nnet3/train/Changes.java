package ristretto.nnet3.train;

import static ristretto.expr.Ops.F32;
import static ristretto.expr.Ops.all;
import static ristretto.expr.Ops.at;
import static ristretto.expr.Ops.concat;
import static ristretto.expr.Ops.dot;
import static ristretto.expr.Ops.fill;
import static ristretto.expr.Ops.range;
import static ristretto.expr.Ops.sum;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.F32;
import ristretto.expr.Tensor;
import ristretto.nnet3.Component;
import ristretto.nnet3.component.ComponentBase;
import ristretto.nnet3.component.Preconditioning;
import ristretto.nnet3.component.UpdatableComponent;
import ristretto.nnet3.forward.Forward;
import ristretto.nnet3.forward.GradientSink;
import ristretto.nnet3.io.Matrix;

/**
 * Makes changes of parameters of their derivatives: natural gradients, times learning rates. What a
 * step leaves of the changes before remains below them.
 */
final class Changes implements GradientSink {
  /** Which statistics a step gathers. */
  enum Gathers {
    NONE,
    /** Those that fade, which must be of each step. */
    FADING,
    ALL
  }

  private final Context context;
  private final ParameterBuffer buffer;
  private final Rates rates;
  private final Preconditioners preconditioners;
  private final StepStatistics statistics;

  private final Gathers gathers;

  /** Whether changes come on top of those before. */
  private final boolean adds;

  /** Derivatives of components that want those of all their parameters at once. */
  private final Map<Component, Map<float[], Expr<F32>>> apart = new IdentityHashMap<>();

  private final Set<float[]> touched = Collections.newSetFromMap(new IdentityHashMap<>());

  Changes(
      Context context,
      ParameterBuffer buffer,
      Rates rates,
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

  /** Natural gradient of a matrix, and of its columns then, that is all parameters side by side. */
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
    Preconditioning ofColumns = component.columnPreconditioning();
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
    Preconditioning how = ((UpdatableComponent) component).rowPreconditioning();
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
      Component component, Matrix w, float[] bias, List<Forward.Columns> x, Expr<F32> dy) {
    var updatable = (UpdatableComponent) component;
    long rows = dy.shape().dim(0) * dy.shape().dim(1);
    Tensor<F32> in = rows(x, dy, rows, bias.length > 0);
    Expr<F32> out = dy.reshape(rows, dy.shape().dim(2));
    Expr<F32> rate = rates.learning(component);
    Preconditioning ofInput = updatable.inputPreconditioning();
    if (ofInput != null) {
      rate = rate.times(preconditioners.apply(w.data(), "in", ofInput, in));
    }
    Preconditioning ofOutput = updatable.outputPreconditioning();
    if (ofOutput != null) {
      Tensor<F32> copy = inMemory(out);
      rate = rate.times(preconditioners.apply(w.data(), "out", ofOutput, copy));
      out = copy;
    }
    Tensor<F32> dw = buffer.change(w.data()).reshape(w.rows(), w.cols());
    change(w.data(), dw, dot(out.t(), in.slice(all(), range(0, w.cols()))).times(rate));
    if (bias.length > 0) {
      Expr<F32> ones = in.slice(all(), at(w.cols()));
      change(bias, buffer.change(bias), dot(out.t(), ones).times(rate));
    }
  }

  /** What is multiplied with, side by side in memory of its own, perhaps with ones. */
  private Tensor<F32> rows(List<Forward.Columns> x, Expr<F32> dy, long rows, boolean withOnes) {
    List<Expr<F32>> parts = new ArrayList<>();
    for (Forward.Columns part : x) {
      parts.add(
          part.value() == null
              ? fill(F32, 0, dy.shape().dim(0), dy.shape().dim(1), part.dim())
              : part.scaled());
    }
    if (withOnes) {
      parts.add(fill(F32, 1, dy.shape().dim(0), dy.shape().dim(1), 1));
    }
    Expr<F32> all = Forward.append(parts);
    long columns = all.shape().dim(2);
    Tensor<F32> memory = context.empty(F32, dy.shape().dim(0), dy.shape().dim(1), columns);
    context.assign(memory, all);
    return memory.reshape(rows, columns);
  }

  private void change(float[] parameter, Tensor<F32> memory, Expr<F32> by) {
    if (!touched.add(parameter) || adds) {
      context.assignAdd(memory, by);
    } else {
      context.assign(memory, by);
    }
  }

  @Override
  public Expr<F32> average(Component component, String name, long dim) {
    return gathers == Gathers.NONE ? null : statistics.average(component, name, dim);
  }

  @Override
  public void statistics(Component component, String name, Expr<F32> sum, double count) {
    boolean wanted =
        gathers == Gathers.ALL
            || gathers == Gathers.FADING && ((ComponentBase) component).fadingStatistics();
    if (wanted) {
      statistics.add(component, name, sum, count);
    }
  }

  /** After the derivatives of a step: what has none does not change. */
  void finish() {
    if (!adds) {
      for (float[] parameter : buffer.arrays()) {
        if (parameter.length > 0 && !touched.contains(parameter)) {
          context.assign(buffer.change(parameter), 0);
        }
      }
    }
  }
}
