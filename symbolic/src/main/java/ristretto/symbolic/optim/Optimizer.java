package ristretto.symbolic.optim;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Selection;
import ristretto.symbolic.graph.Variable;

/**
 * Update rule for parameters, given their gradients. The parameters of a model lie in one buffer
 * per dtype, so an update is one kernel for any number of parameters; with groups or a selection,
 * one for each contiguous range of parameters with the same settings.
 */
public abstract class Optimizer {
  private static final double TRACE = 1e-36;

  private static final String OP = "optimizer";

  private static final Pattern NUMBER = Pattern.compile("\\d+");

  private final Schedule schedule;
  private final int states;
  private final String name;

  /**
   * Creates an optimizer whose name is that of its class.
   *
   * @param states number of state values per parameter element
   */
  protected Optimizer(Schedule schedule, int states) {
    this("", schedule, states);
  }

  /**
   * Creates an optimizer.
   *
   * @param name name in checkpoints; empty for the name of the class
   */
  Optimizer(String name, Schedule schedule, int states) {
    if (schedule == null) {
      throw new ShapeException(
          "[optimizer] there must be a learning rate schedule; got null; a constant rate is"
              + " Schedule.constant(1e-3).");
    }
    this.schedule = schedule;
    this.states = states;
    this.name = name.isEmpty() ? ofClass(getClass().getSimpleName()) : name;
  }

  private static String ofClass(String simple) {
    return simple.isEmpty()
        ? "optimizer"
        : simple.substring(0, 1).toLowerCase(Locale.ROOT) + simple.substring(1);
  }

  /**
   * Returns the name of the state in checkpoints; optimizers of one name are numbered in the order
   * of their first use.
   */
  public final String name() {
    return name;
  }

  /** Returns true if the user chose the name. */
  public boolean isNamed() {
    return false;
  }

  /** Returns the learning rate schedule. */
  public final Schedule schedule() {
    return schedule;
  }

  /** Returns the number of state values per parameter element. */
  public final int states() {
    return states;
  }

  /**
   * Returns the largest allowed norm of the gradient; larger gradients are scaled down to this
   * norm.
   */
  public double longest() {
    return Double.POSITIVE_INFINITY;
  }

  /** Returns true if large gradients are scaled down. */
  public final boolean clips() {
    return longest() < Double.POSITIVE_INFINITY;
  }

  /** Returns the number of steps whose mean gradient one update uses. */
  public int accumulated() {
    return 1;
  }

  /** Returns true if an update uses the mean gradient of several steps. */
  public final boolean accumulates() {
    return accumulated() > 1;
  }

  /** Returns true if the update formula is applied to each parameter by itself, with its shape. */
  public boolean isPerParameter() {
    return false;
  }

  /** Returns the parameters that this optimizer updates, and their groups. */
  UpdateScope scope() {
    return UpdateScope.ALL;
  }

  /** Returns this optimizer with another weight decay instead of its own. */
  Optimizer withDecay(double decay) {
    return decay == 0 ? this : ModifiedOptimizer.decayed(this, decay);
  }

  /** Returns true if the optimizer maintains running means of the parameters. */
  public boolean isAveraging() {
    return false;
  }

  /** Returns the running means of the parameters among the state tensors, or null. */
  public <T> Tensor<T> averages(List<Tensor<T>> kept) {
    return null;
  }

  /**
   * Returns this optimizer with clipping by the global norm: gradients whose L2 norm over all
   * parameters exceeds {@code norm} are scaled down to this norm. The host does not wait for the
   * norm.
   *
   * @throws ShapeException if the norm is not positive
   */
  public final Optimizer clip(double norm) {
    requireNorm(norm);
    return ModifiedOptimizer.clipped(this, norm);
  }

  /**
   * Returns this optimizer with L2 regularization: {@code decay w} is added to the gradients, after
   * clipping.
   *
   * @throws ShapeException if the decay is negative
   */
  public final Optimizer decay(double decay) {
    requireDecay(decay);
    return ModifiedOptimizer.decayed(this, decay);
  }

  /**
   * Returns this optimizer with other settings for the parameters whose names match a pattern, for
   * example {@code group("*.bias", g -> g.rate(2e-3).decay(0))}. If several groups contain a
   * parameter, each setting is that of the last of them that has the setting.
   *
   * @param pattern name in which {@code *} stands for any characters, dots included; the first
   *     update throws an exception that names the nearest parameter if no name matches
   */
  public final Optimizer group(String pattern, UnaryOperator<ParameterGroup> settings) {
    return group(Selection.of(OP, pattern), settings);
  }

  /**
   * Returns this optimizer with other settings for the parameters that fulfil a predicate. If
   * several groups contain a parameter, each setting is that of the last of them that has the
   * setting.
   *
   * @param parameters predicate; the first update throws an exception if it holds for no parameter
   */
  public final Optimizer group(
      Predicate<Variable<?>> parameters, UnaryOperator<ParameterGroup> settings) {
    return group(Selection.of(parameters), settings);
  }

  /**
   * Returns this optimizer without weight decay for biases and for scales and offsets of norms: for
   * all parameters with fewer than two dimensions.
   */
  public final Optimizer noBiasDecay() {
    return group(Selection.vectors(), g -> g.decay(0));
  }

  private Optimizer group(Selection selection, UnaryOperator<ParameterGroup> settings) {
    ParameterGroup group = settings.apply(ParameterGroup.of(selection));
    if (group == null) {
      throw new ShapeException(
          "[optimizer] a group must have settings; got null; return those of the argument, as in"
              + " g -> g.rate(1e-4).");
    }
    return ModifiedOptimizer.scoped(this, scope().group(group));
  }

  /**
   * Returns this optimizer restricted to the parameters whose names match at least one pattern. A
   * step with this optimizer computes the gradients of these parameters only, so several optimizers
   * of one executor, for example of a generator and a discriminator, each pay for their own part.
   *
   * @param patterns names in which {@code *} stands for any characters, dots included; the first
   *     update throws an exception that names the nearest parameter if no name matches
   * @throws ShapeException if there is no pattern
   */
  public final Optimizer only(String... patterns) {
    return ModifiedOptimizer.scoped(this, scope().only(Selection.of(OP, patterns)));
  }

  /**
   * Returns this optimizer restricted to the parameters that fulfil a predicate; other gradients
   * are not computed.
   *
   * @param parameters predicate; the first update throws an exception if it holds for no parameter
   */
  public final Optimizer only(Predicate<Variable<?>> parameters) {
    return ModifiedOptimizer.scoped(this, scope().only(Selection.of(parameters)));
  }

  /**
   * Returns this optimizer with a running mean {@code mean = decay mean + (1 - decay) w} of each
   * parameter: see {@link ristretto.symbolic.Executor#average}.
   *
   * @throws ShapeException if the decay is not between 0 and 1
   */
  public final Optimizer average(double decay) {
    require(decay > 0 && decay < 1, "the decay of averages must be between 0 and 1", decay);
    return ModifiedOptimizer.averaged(this, decay);
  }

  /**
   * Returns this optimizer with gradient accumulation: parameters change in every {@code steps}-th
   * step, by the mean of the gradients of these steps, which is the gradient of one batch of all
   * their examples if the loss is a mean and the batches have one size. Clipping applies to that
   * mean; schedules count updates. Steps whose loss is not finite do not count. Steps that are left
   * over at the end of an epoch count for the first update of the next one. Freezing or unfreezing
   * parameters drops the gradients accumulated so far.
   *
   * @param steps number of steps for each update, at least 1
   * @throws ShapeException if the number is below 1
   */
  public final Optimizer accumulate(int steps) {
    if (steps < 1) {
      throw new ShapeException(
          "[optimizer] an update must use the gradients of at least 1 step; got " + steps + ".");
    }
    return ModifiedOptimizer.accumulated(this, steps);
  }

  /**
   * Returns this optimizer under its own name in checkpoints, for example for a new phase of
   * training that starts with fresh optimizer state.
   *
   * @throws ShapeException if the name is empty, a number, or contains a slash
   */
  public final Optimizer named(String name) {
    if (name == null || name.isEmpty() || name.contains("/") || NUMBER.matcher(name).matches()) {
      throw new ShapeException(
          "[optimizer] a name must not be empty, be a number or contain a slash; got \""
              + name
              + "\".");
    }
    return ModifiedOptimizer.named(this, name);
  }

  static void require(boolean holds, String rule, double value) {
    if (!holds) {
      throw new ShapeException("[optimizer] " + rule + "; got " + value + ".");
    }
  }

  private static void requireShare(String what, double value) {
    require(value >= 0 && value < 1, what + " must be at least 0 and below 1", value);
  }

  private static void requireEpsilon(double value) {
    require(value >= 0 && value < Double.POSITIVE_INFINITY, "epsilon must be at least 0", value);
  }

  static void requireNorm(double value) {
    require(value > 0, "the maximum gradient norm must be above 0", value);
  }

  static void requireDecay(double value) {
    require(value >= 0 && value < Double.POSITIVE_INFINITY, "the decay must be at least 0", value);
  }

  /**
   * Returns the new values of the parameters and of their state.
   *
   * @param w the parameters
   * @param g their gradients
   * @param kept state tensors, zeros before the first step
   * @param numbers scalars of this step, from {@link #numbers}
   */
  protected abstract <T> List<Pair<?>> update(
      Tensor<T> w, Expr<T> g, List<Tensor<T>> kept, List<Expr<T>> numbers);

  /**
   * Returns the scalars of a step that all parameters share, computed once: by default learning
   * rate and step number.
   *
   * @param rate learning rate of this step
   * @param step number of this step, from 1
   */
  protected <T> List<Expr<T>> numbers(Expr<T> rate, Expr<T> step) {
    return List.of(rate, step);
  }

  /**
   * Returns the momentum that the schedule determines, or empty.
   *
   * @param step number of this step, from 1
   */
  final <T> Optional<Expr<T>> scheduledMomentum(Expr<T> step) {
    return schedule.momentum(step.cast(Ops.F32).minus(1)).map(m -> m.cast(step.dtype()));
  }

  /** Returns the scalars of a step, as {@link #numbers} defines them. */
  public final <T> List<Expr<T>> scalars(Expr<T> rate, Expr<T> step) {
    return numbers(rate, step);
  }

  /** Returns the new values of parameters and their state, as {@link #update} defines them. */
  public final <T> List<Pair<?>> newValues(
      Tensor<T> w, Expr<T> g, List<Tensor<T>> kept, List<Expr<T>> numbers) {
    return update(w, g, kept, numbers);
  }

  /** Stochastic gradient descent. */
  public static Optimizer sgd(Schedule rate) {
    return new Optimizer("sgd", rate, 0) {
      @Override
      protected <T> List<Pair<?>> update(
          Tensor<T> w, Expr<T> g, List<Tensor<T>> kept, List<Expr<T>> numbers) {
        return List.of(Pair.of(w, w.minus(g.times(numbers.get(0)))));
      }
    };
  }

  /** Stochastic gradient descent with a constant learning rate. */
  public static Optimizer sgd(double rate) {
    return sgd(Schedule.constant(rate));
  }

  /**
   * Gradient descent with momentum: {@code v = momentum v + g; w -= rate v}; Nesterov's variant
   * updates by {@code g + momentum v} instead of {@code v}.
   */
  public static Optimizer momentum(Schedule rate, double momentum, boolean nesterov) {
    requireShare("momentum", momentum);
    return new Optimizer("momentum", rate, 1) {
      /** Returns the learning rate, then the momentum if the schedule determines it. */
      @Override
      protected <T> List<Expr<T>> numbers(Expr<T> rate, Expr<T> step) {
        return scheduledMomentum(step).map(m -> List.of(rate, m)).orElseGet(() -> List.of(rate));
      }

      private <T> Expr<T> slowed(Expr<T> v, List<Expr<T>> numbers) {
        return numbers.size() > 1 ? v.times(numbers.get(1)) : v.times(momentum);
      }

      @Override
      protected <T> List<Pair<?>> update(
          Tensor<T> w, Expr<T> g, List<Tensor<T>> kept, List<Expr<T>> numbers) {
        Expr<T> v = withoutTraces(slowed(kept.get(0), numbers).plus(g));
        Expr<T> move = nesterov ? slowed(v, numbers).plus(g) : v;
        return List.of(Pair.of(kept.get(0), v), Pair.of(w, w.minus(move.times(numbers.get(0)))));
      }
    };
  }

  /** RMSProp: {@code a = decay a + (1 - decay) g^2; w -= rate g / (sqrt(a) + epsilon)}. */
  public static Optimizer rmsProp(Schedule rate, double decay, double epsilon) {
    requireShare("the decay of running means", decay);
    requireEpsilon(epsilon);
    return new Optimizer("rmsProp", rate, 1) {
      @Override
      protected <T> List<Pair<?>> update(
          Tensor<T> w, Expr<T> g, List<Tensor<T>> kept, List<Expr<T>> numbers) {
        Expr<T> a = withoutTraces(kept.get(0).times(decay).plus(g.times(g).times(1 - decay)));
        Expr<T> move = g.times(numbers.get(0)).div(Ops.sqrt(a).plus(epsilon));
        return List.of(Pair.of(kept.get(0), a), Pair.of(w, w.minus(move)));
      }
    };
  }

  /** Adagrad (Duchi et al., 2011): {@code a += g^2; w -= rate g / (sqrt(a) + epsilon)}. */
  public static Optimizer adagrad(Schedule rate, double epsilon) {
    requireEpsilon(epsilon);
    return new Optimizer("adagrad", rate, 1) {
      @Override
      protected <T> List<Pair<?>> update(
          Tensor<T> w, Expr<T> g, List<Tensor<T>> kept, List<Expr<T>> numbers) {
        Expr<T> a = kept.get(0).plus(g.times(g));
        Expr<T> move = g.times(numbers.get(0)).div(Ops.sqrt(a).plus(epsilon));
        return List.of(Pair.of(kept.get(0), a), Pair.of(w, w.minus(move)));
      }
    };
  }

  /**
   * Adam (Kingma and Ba, 2015) with a constant learning rate and the usual constants 0.9, 0.999 and
   * 1e-8.
   */
  public static Optimizer adam(double rate) {
    return adam(Schedule.constant(rate));
  }

  /**
   * Adam (Kingma and Ba, 2015) with a learning rate schedule and the usual constants 0.9, 0.999 and
   * 1e-8.
   */
  public static Optimizer adam(Schedule rate) {
    return new Adam(rate, new Adam.Settings(0.9, 0.999, 1e-8, 0, false));
  }

  /**
   * Adam (Kingma and Ba, 2015) with a learning rate schedule, decays of the running means of
   * gradients and of their squares, and an epsilon: PyTorch's {@code betas} and {@code eps}.
   *
   * @throws ShapeException if a decay is not at least 0 and below 1, or epsilon is not positive
   */
  public static Optimizer adam(Schedule rate, double first, double second, double epsilon) {
    requireShare("the decay of running means", first);
    requireShare("the decay of running means", second);
    requireEpsilon(epsilon);
    return new Adam(rate, new Adam.Settings(first, second, epsilon, 0, false));
  }

  /**
   * Adam with decoupled weight decay 0.01 (Loshchilov and Hutter, 2019), a constant learning rate
   * and the usual constants 0.9, 0.999 and 1e-8.
   */
  public static Optimizer adamW(double rate) {
    return adamW(Schedule.constant(rate));
  }

  /**
   * Adam with decoupled weight decay 0.01 (Loshchilov and Hutter, 2019), a learning rate schedule
   * and the usual constants 0.9, 0.999 and 1e-8.
   */
  public static Optimizer adamW(Schedule rate) {
    return adamW(rate, 0.9, 0.999, 1e-8, 0.01);
  }

  /**
   * Adam with decoupled weight decay (Loshchilov and Hutter, 2019); plain Adam if the decay is 0.
   */
  public static Optimizer adamW(
      Schedule rate, double first, double second, double epsilon, double decay) {
    requireShare("the decay of running means", first);
    requireShare("the decay of running means", second);
    requireEpsilon(epsilon);
    requireDecay(decay);
    return new Adam(rate, new Adam.Settings(first, second, epsilon, decay, true));
  }

  /**
   * Lion (Chen et al., 2023) with a constant learning rate, the usual constants 0.9 and 0.99 and no
   * weight decay; good rates are 3 to 10 times smaller than Adam's.
   */
  public static Optimizer lion(double rate) {
    return lion(Schedule.constant(rate), 0.9, 0.99, 0);
  }

  /**
   * Lion (Chen et al., 2023): {@code w -= rate (sign(first m + (1 - first) g) + decay w); m =
   * second m + (1 - second) g}.
   */
  public static Optimizer lion(Schedule rate, double first, double second, double decay) {
    requireShare("the decay of running means", first);
    requireShare("the decay of running means", second);
    requireDecay(decay);
    return new Lion(rate, first, second, decay);
  }

  /**
   * LAMB (You et al., 2020) with a constant learning rate, the usual constants 0.9, 0.999 and 1e-6,
   * and weight decay 0.01.
   */
  public static Optimizer lamb(double rate) {
    return lamb(Schedule.constant(rate), 0.9, 0.999, 1e-6, 0.01);
  }

  /**
   * LAMB (You et al., 2020), for large batches: {@link #adamW}, whose update of each parameter is
   * scaled to the norm of the parameter. Norms of 0 leave the update as it is.
   */
  public static Optimizer lamb(
      Schedule rate, double first, double second, double epsilon, double decay) {
    requireShare("the decay of running means", first);
    requireShare("the decay of running means", second);
    requireEpsilon(epsilon);
    requireDecay(decay);
    return new Lamb(rate, new Adam.Settings(first, second, epsilon, decay, true));
  }

  /** Adafactor with a constant learning rate and no weight decay; see {@link #adafactor}. */
  public static Optimizer adafactor(double rate) {
    return adafactor(Schedule.constant(rate), 0);
  }

  /**
   * Adafactor (Shazeer and Stern, 2018) without momentum, by the formulas and constants of
   * PyTorch's {@code torch.optim.Adafactor}: running means of squared gradients by row and column
   * of each matrix, relative step sizes, clipped updates. The state takes the memory of one copy of
   * the parameters, half of Adam's.
   *
   * @param rate upper limit of the relative step size, which falls as {@code 1 / sqrt(step)}
   * @param decay decoupled weight decay
   */
  public static Optimizer adafactor(Schedule rate, double decay) {
    requireDecay(decay);
    return new Adafactor(rate, decay);
  }

  /**
   * Flushes tiny moments to zero, long after the last gradient. They are far too small to move a
   * parameter, but subnormal numbers slow processors down several times.
   */
  static <T> Expr<T> withoutTraces(Expr<T> mean) {
    return Ops.where(Ops.abs(mean).lt(TRACE), 0, mean);
  }
}
