package ristretto.expr;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import ristretto.expr.graph.Formula.CustomGradient;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;

/**
 * Reverse-mode differentiation of expressions. Gradients are expressions: they are evaluated when
 * assigned, fuse like any other expression and can be differentiated again.
 *
 * <pre>{@code
 * Expr<F32> loss = mean(square(dot(x, w).minus(y)));
 * ctx.assign(w, w.minus(gradient(loss, w).times(0.1)));
 * }</pre>
 */
public final class Gradients {
  private final Map<Expr<?>, Expr<?>> weights = new IdentityHashMap<>();
  private final Map<Expr<?>, Boolean> depends = new IdentityHashMap<>();

  /** Expressions visited by the topological sort; true once all operands are sorted. */
  private final Map<Expr<?>, Boolean> reached = new IdentityHashMap<>();

  /** Expressions treated as leaves: their operands are not visited. */
  private final Set<Expr<?>> ends = Collections.newSetFromMap(new IdentityHashMap<>());

  private Gradients() {}

  /**
   * Gradients of {@code sum(weight * y)}. Inputs are compared by identity: an equal expression that
   * was built separately is not found in y.
   *
   * @param y floating point
   * @param weight broadcasts to y's shape
   * @param inputs floating-point tensors or expressions that y is computed from
   * @return for each input an expression of its shape and dtype; zeros if y depends on the input
   *     only through operations with zero gradient: comparisons, integers and {@link
   *     Ops#stopGradient}
   * @throws ShapeException if y is not computed from an input, or an operation on a path from the
   *     input to y has no derivative
   */
  public static <T> List<Expr<?>> of(Expr<T> y, Expr<T> weight, List<? extends Expr<?>> inputs) {
    var all = new Gradients();
    List<Optional<Expr<?>>> parts = all.gradients(y, weight, inputs);
    for (Expr<?> input : inputs) {
      if (!all.reached.containsKey(input)) {
        throw new ShapeException(
            ("[gradient] y must be computed from the same object that is passed as the input; got y"
                 + " %s, which never reads the %s; keep the input of y in a Java variable and pass"
                 + " that, or use gradientOrZero if zeros are intended.")
                .formatted(y.label(), input.label()));
      }
    }
    List<Expr<?>> results = orZeros(parts, inputs);
    for (int k = 0; k < results.size(); k++) {
      results.set(k, connected(results.get(k), inputs.get(k)));
    }
    return results;
  }

  /**
   * Registers the input as an operand of a gradient that does not read it, such as the constant
   * gradient of a sum, so that differentiating the gradient again finds the input.
   */
  private static <T> Expr<T> connected(Expr<T> gradient, Expr<?> input) {
    var own = new Gradients();
    own.sorted(gradient);
    return own.reached.containsKey(input)
        ? gradient
        : custom(gradient, () -> List.of(gradient, input), (dy, _) -> Arrays.asList(dy, null));
  }

  /** Gradients of {@code sum(weight * y)}; zeros for inputs that y is not computed from. */
  public static <T> List<Expr<?>> ofOrZero(
      Expr<T> y, Expr<T> weight, List<? extends Expr<?>> inputs) {
    return orZeros(new Gradients().gradients(y, weight, inputs), inputs);
  }

  /**
   * Partial derivatives of {@code sum(weight * y)}: inputs count as independent variables even if
   * one is computed from another.
   *
   * @return for each input an expression of its shape and dtype; zeros if y does not depend on the
   *     input
   */
  public static <T> List<Expr<?>> partial(
      Expr<T> y, Expr<T> weight, List<? extends Expr<?>> inputs) {
    return orZeros(partialWhereReached(y, weight, inputs), inputs);
  }

  /**
   * Partial derivatives as in {@link #partial}, but empty instead of zeros for inputs that no
   * gradient reaches, such as those behind {@code stopGradient}.
   *
   * @return for each input its gradient, or empty
   */
  public static <T> List<Optional<Expr<?>>> partialWhereReached(
      Expr<T> y, Expr<T> weight, List<? extends Expr<?>> inputs) {
    return partialWhereReached(y, weight, inputs, List.of());
  }

  /**
   * Partial derivatives as in {@link #partialWhereReached(Expr, Expr, List)}, with further
   * expressions that count as independent variables.
   *
   * @param others further expressions to treat as leaves
   * @return for each input its gradient, or empty
   */
  public static <T> List<Optional<Expr<?>>> partialWhereReached(
      Expr<T> y,
      Expr<T> weight,
      List<? extends Expr<?>> inputs,
      Collection<? extends Expr<?>> others) {
    var all = new Gradients();
    all.ends.addAll(inputs);
    all.ends.addAll(others);
    return all.gradients(y, weight, inputs);
  }

  /** Gradients of {@code sum(y)}; see {@link #of(Expr, Expr, List)}. */
  public static <T> List<Expr<?>> of(Expr<T> y, List<? extends Expr<?>> inputs) {
    return of(y, Scalars.literal(y.dtype(), 1), inputs);
  }

  /**
   * Gradient of {@code sum(y)} with respect to one input; empty if no gradient reaches the input.
   */
  public static Optional<Expr<?>> find(Expr<?> y, Expr<?> input) {
    return found(y, input);
  }

  private static <T> Optional<Expr<?>> found(Expr<T> y, Expr<?> input) {
    return new Gradients().gradients(y, Scalars.literal(y.dtype(), 1), List.of(input)).get(0);
  }

  /**
   * Attaches a custom gradient to the values of an expression: for values in memory, whose
   * computation is unknown, and for gradients that deliberately differ from the derivative.
   *
   * @param values forward values
   * @param dependsOn expressions that the rule has gradients for; called once, when a gradient
   *     first flows through this expression
   * @param rule computes the gradients
   */
  public static <T> Expr<T> custom(
      Expr<T> values, Supplier<? extends List<? extends Expr<?>>> dependsOn, Rule<T> rule) {
    var gradient = new CustomGradient(new Custom<>(dependsOn, rule));
    return new Computed<>(gradient, values.dtype(), values.shape(), values);
  }

  /**
   * Unwraps the values of an expression made by {@link #custom}; returns any other expression
   * unchanged.
   */
  @SuppressWarnings("unchecked")
  public static <T> Expr<T> values(Expr<T> e) {
    return e.operation() instanceof CustomGradient ? values((Expr<T>) e.inputs().get(0)) : e;
  }

  /** Gradient rule of an expression made by {@link #custom}. */
  @FunctionalInterface
  public interface Rule<T> {
    /**
     * Returns the gradients with respect to the expressions that this expression depends on, for
     * the output gradient {@code dy}; null for no gradient. The gradients may be differentiated
     * again.
     *
     * @param wanted true for the indices of expressions whose gradient is used
     */
    List<? extends Expr<?>> gradients(Expr<T> dy, IntPredicate wanted);
  }

  /** Rule of a custom gradient, with the expressions that it has gradients for. */
  static final class Custom<T> {
    final Rule<T> rule;
    private Supplier<? extends List<? extends Expr<?>>> source;
    private List<Expr<?>> dependsOn;

    Custom(Supplier<? extends List<? extends Expr<?>>> source, Rule<T> rule) {
      this.source = source;
      this.rule = rule;
    }

    List<Expr<?>> dependsOn() {
      if (dependsOn == null) {
        dependsOn = List.copyOf(source.get());
        source = null;
      }
      return dependsOn;
    }
  }

  /** Custom gradient of an expression; null for other expressions. */
  @SuppressWarnings("unchecked")
  static <T> Custom<T> custom(Expr<T> e) {
    return e.operation() instanceof CustomGradient c ? (Custom<T>) c.rule() : null;
  }

  private <T> List<Optional<Expr<?>>> gradients(
      Expr<T> y, Expr<T> weight, List<? extends Expr<?>> inputs) {
    requireFloat(y);
    inputs.forEach(Gradients::requireFloat);
    run(y, weight.expand(y.shape().extents()), inputs);
    return inputs.stream()
        .<Optional<Expr<?>>>map(e -> Optional.ofNullable(weights.get(e)))
        .toList();
  }

  private static List<Expr<?>> orZeros(
      List<Optional<Expr<?>>> parts, List<? extends Expr<?>> inputs) {
    var result = new ArrayList<Expr<?>>();
    for (Expr<?> input : inputs) {
      Optional<Expr<?>> part = parts.get(result.size());
      result.add(part.orElseGet(() -> Scalars.filled(input.dtype(), input.shape(), 0)));
    }
    return result;
  }

  private static void requireFloat(Expr<?> e) {
    if (!e.dtype().isFloat()) {
      throw new ShapeException(
          "[gradient] results and inputs must be floating point; got "
              + e.label()
              + "; cast first, as in x.cast(F32).");
    }
  }

  private void run(Expr<?> y, Expr<?> weight, List<? extends Expr<?>> inputs) {
    inputs.forEach(input -> depends.put(input, true));
    List<Expr<?>> order = sorted(y);
    weights.put(y, weight);
    for (int k = order.size() - 1; k >= 0; k--) {
      Expr<?> e = order.get(k);
      Expr<?> dy = weights.get(e);
      if (dy != null) {
        spread(e, dy);
      }
    }
  }

  @SuppressWarnings("unchecked")
  private <T> void spread(Expr<T> e, Expr<?> dy) {
    List<? extends Expr<?>> inputs = below(e);
    if (inputs.stream().noneMatch(depends::get)) {
      return;
    }
    List<? extends Expr<?>> parts =
        switch (e) {
          case Tensor<T> t when t.base() != null ->
              List.of(GradientRules.ofView(t.viewOp(), t.base().shape(), (Expr<T>) dy));
          default -> {
            Custom<T> custom = custom(e);
            yield custom == null
                ? GradientRules.of(e, (Expr<T>) dy)
                : custom.rule.gradients((Expr<T>) dy, k -> depends.get(inputs.get(k)));
          }
        };
    for (int k = 0; k < parts.size(); k++) {
      Expr<?> input = inputs.get(k);
      if (parts.get(k) != null && depends.get(input)) {
        Expr<?> part = sumTo(parts.get(k), input.shape());
        weights.merge(input, part, Gradients::plus);
      }
    }
  }

  @SuppressWarnings("unchecked")
  private static <T> Expr<T> plus(Expr<?> a, Expr<?> b) {
    return ((Expr<T>) a).plus((Expr<T>) b);
  }

  /** Operands of an expression for the backward pass; the base for a view of a tensor. */
  private List<? extends Expr<?>> below(Expr<?> e) {
    if (ends.contains(e)) {
      return List.of();
    }
    if (e instanceof Tensor<?> t && t.base() != null) {
      return List.of(t.base());
    }
    Custom<?> custom = custom(e);
    return custom == null ? e.inputs() : custom.dependsOn();
  }

  /**
   * Topological order of the expressions below {@code y}, operands first; records which of them
   * depend on the requested inputs.
   */
  private List<Expr<?>> sorted(Expr<?> y) {
    var order = new ArrayList<Expr<?>>();
    var stack = new ArrayDeque<Expr<?>>();
    stack.push(y);
    while (!stack.isEmpty()) {
      Expr<?> e = stack.peek();
      Boolean done = reached.get(e);
      if (done == null) {
        reached.put(e, false);
        for (Expr<?> in : below(e)) {
          if (!reached.containsKey(in)) {
            stack.push(in);
          }
        }
      } else {
        stack.pop();
        if (!done) {
          reached.put(e, true);
          order.add(e);
          boolean leads = e.dtype().isFloat() && below(e).stream().anyMatch(depends::get);
          depends.merge(e, leads, Boolean::logicalOr);
        }
      }
    }
    return order;
  }

  /** Sums over the axes along which {@code shape} was broadcast. */
  static <T> Expr<T> sumTo(Expr<T> e, Shape shape) {
    if (e.shape().equals(shape)) {
      return e;
    }
    if (!shape.expandsTo(e.shape())) {
      return e.expand(shape.extents());
    }
    int lead = e.shape().rank() - shape.rank();
    int[] axes = new int[e.shape().rank()];
    int n = 0;
    for (int d = 0; d < axes.length; d++) {
      if (d < lead || shape.at(d - lead) != e.shape().at(d)) {
        axes[n++] = d;
      }
    }
    // A leading axis of extent 1 is dropped without a sum.
    Expr<T> sum = n == 0 ? e : Reductions.sum(e, Arrays.copyOf(axes, n)).keepDims();
    return sum.reshape(shape.extents());
  }
}
