package ristretto.expr;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import ristretto.kernels.ShapeException;

/**
 * Derivatives of expressions, as expressions: nothing is computed until they are assigned, and they
 * fuse like any others. They can be differentiated again.
 *
 * <pre>{@code
 * Expr<F32> loss = mean(square(dot(x, w).minus(y)));
 * ctx.assign(w, w.minus(gradient(loss, w).times(0.1)));
 * }</pre>
 */
public final class Gradients {
  private final Map<Expr<?>, Expr<?>> weights = new IdentityHashMap<>();
  private final Map<Expr<?>, Boolean> depends = new IdentityHashMap<>();

  /** What nothing is looked at below of. */
  private final Set<Expr<?>> ends = Collections.newSetFromMap(new IdentityHashMap<>());

  private Gradients() {}

  /**
   * Gradients of {@code sum(weight * y)}.
   *
   * @param y floating point
   * @param weight broadcasts to y's shape
   * @param inputs tensors or expressions that y is computed from, floating point
   * @return for each input an expression of its shape and dtype: zeros if y does not depend on it
   * @throws ShapeException if an operation on the way has no derivative
   */
  public static <T> List<Expr<?>> of(Expr<T> y, Expr<T> weight, List<? extends Expr<?>> inputs) {
    return new Gradients().gradients(y, weight, inputs);
  }

  private <T> List<Expr<?>> gradients(Expr<T> y, Expr<T> weight, List<? extends Expr<?>> inputs) {
    spread(y, weight, inputs);
    var result = new ArrayList<Expr<?>>();
    for (Expr<?> input : inputs) {
      Expr<?> gradient = weights.get(input);
      result.add(gradient == null ? Scalars.filled(input.dtype(), input.shape(), 0) : gradient);
    }
    return result;
  }

  private <T> void spread(Expr<T> y, Expr<T> weight, List<? extends Expr<?>> inputs) {
    requireFloat(y);
    inputs.forEach(Gradients::requireFloat);
    run(y, weight.expand(y.shape().toArray()), inputs);
  }

  /**
   * As {@link #of(Expr, Expr, List)}, but the inputs count as independent, even where one is
   * computed from another: nothing below them is looked at.
   */
  public static <T> List<Expr<?>> partial(
      Expr<T> y, Expr<T> weight, List<? extends Expr<?>> inputs) {
    var all = new Gradients();
    all.ends.addAll(inputs);
    return all.gradients(y, weight, inputs);
  }

  /**
   * Gradients as {@link #partial} yields, of those inputs only that y depends on in a way that
   * counts: not of those behind {@code stopGradient}.
   *
   * @return for each input its gradient, or empty
   */
  public static <T> List<Optional<Expr<?>>> partialWhereReached(
      Expr<T> y, Expr<T> weight, List<? extends Expr<?>> inputs) {
    var all = new Gradients();
    all.ends.addAll(inputs);
    all.spread(y, weight, inputs);
    var result = new ArrayList<Optional<Expr<?>>>();
    inputs.forEach(input -> result.add(Optional.ofNullable(all.weights.get(input))));
    return result;
  }

  /** Gradients of {@code sum(y)}: of y itself if it is one number. */
  public static <T> List<Expr<?>> of(Expr<T> y, List<? extends Expr<?>> inputs) {
    return of(y, Scalars.literal(y.dtype(), 1), inputs);
  }

  /** The gradient of {@code sum(y)} by one input, if y depends on it in a way that counts. */
  public static Optional<Expr<?>> find(Expr<?> y, Expr<?> input) {
    return new Gradients().found(y, input);
  }

  private <T> Optional<Expr<?>> found(Expr<T> y, Expr<?> input) {
    gradients(y, Scalars.literal(y.dtype(), 1), List.of(input));
    return Optional.ofNullable(weights.get(input));
  }

  private static void requireFloat(Expr<?> e) {
    if (!e.dtype().isFloat()) {
      throw new ShapeException(
          "[gradient] results and inputs must be floating point; got "
              + e.label()
              + "; cast first, as in x.cast(F32).");
    }
  }

  static ShapeException missing(Expr<?> e) {
    return new ShapeException(
        "[gradient] an operation on the way must have a derivative; got "
            + e
            + " of "
            + e.label()
            + "; override gradients(dy) in "
            + e.getClass().getSimpleName()
            + ", or stop there with stopGradient.");
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
        e instanceof Tensor<T> t && t.base() != null
            ? List.of(t.baseGradient((Expr<T>) dy))
            : e.gradients((Expr<T>) dy);
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

  /** What an expression is computed from; of a view of a tensor, the whole tensor. */
  private List<? extends Expr<?>> below(Expr<?> e) {
    if (ends.contains(e)) {
      return List.of();
    }
    return e instanceof Tensor<?> t && t.base() != null ? List.of(t.base()) : e.inputs();
  }

  /** Inputs before what is computed from them; marks what depends on the inputs asked for. */
  private List<Expr<?>> sorted(Expr<?> y) {
    var order = new ArrayList<Expr<?>>();
    var state = new IdentityHashMap<Expr<?>, Boolean>();
    var stack = new ArrayDeque<Expr<?>>();
    stack.push(y);
    while (!stack.isEmpty()) {
      Expr<?> e = stack.peek();
      Boolean done = state.get(e);
      if (done == null) {
        state.put(e, false);
        for (Expr<?> in : below(e)) {
          if (!state.containsKey(in)) {
            stack.push(in);
          }
        }
      } else {
        stack.pop();
        if (!done) {
          state.put(e, true);
          order.add(e);
          boolean reached = e.dtype().isFloat() && below(e).stream().anyMatch(depends::get);
          depends.merge(e, reached, Boolean::logicalOr);
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
      return e.expand(shape.toArray());
    }
    int lead = e.shape().rank() - shape.rank();
    int[] axes = new int[e.shape().rank()];
    int n = 0;
    for (int d = 0; d < axes.length; d++) {
      if (d < lead || shape.at(d - lead) != e.shape().at(d)) {
        axes[n++] = d;
      }
    }
    // An axis of extent 1 that only leads is dropped, not summed.
    Expr<T> sum = n == 0 ? e : ReductionOps.sum(e, Arrays.copyOf(axes, n)).keepDims();
    return sum.reshape(shape.toArray());
  }
}
