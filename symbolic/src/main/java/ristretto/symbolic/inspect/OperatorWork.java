package ristretto.symbolic.inspect;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import ristretto.expr.Context;
import ristretto.expr.Expr;
import ristretto.expr.Ops;
import ristretto.expr.Pair;
import ristretto.expr.Tensor;
import ristretto.expr.type.DType;
import ristretto.expr.type.I32;
import ristretto.expr.type.I64;
import ristretto.expr.type.Shape;
import ristretto.kernels.ShapeException;
import ristretto.symbolic.graph.Operator;
import ristretto.symbolic.graph.OperatorContext;
import ristretto.symbolic.graph.Variable;

/**
 * Counts the floating-point operations of operators in a forward pass in evaluation mode, from the
 * expressions that they assign, for given shapes of the inputs. Belongs into a {@linkplain
 * Context#dryRun dry run}, in which tensors have no memory.
 */
final class OperatorWork extends OperatorContext {
  private final Context ctx;
  private final Map<Variable<?>, Shape> shapes = new IdentityHashMap<>();
  private final Map<Variable<?>, Tensor<?>> values = new IdentityHashMap<>();
  private final Map<String, Tensor<?>> workspace = new HashMap<>();

  /** Expressions of the current operator that are counted already. */
  private Set<Expr<?>> counted = Set.of();

  private long operations;
  private boolean isKnown;

  OperatorWork(Context ctx) {
    this.ctx = ctx;
  }

  /** Sets the shape of a variable that no operator computes. */
  void shape(Variable<?> v, Shape shape) {
    shapes.put(v, shape);
  }

  /** Returns the shape of a variable; null if it could not be determined. */
  Shape shape(Variable<?> v) {
    return shapes.get(v);
  }

  /**
   * Determines the shapes of an operator's outputs, and counts its operations.
   *
   * @return number of operations; empty if unknown
   */
  // An operator's code may throw anything for sizes that a model was not written for.
  @SuppressWarnings("PMD.AvoidCatchingGenericException")
  OptionalLong of(Operator operator) {
    counted = Collections.newSetFromMap(new IdentityHashMap<>());
    workspace.clear();
    operations = 0;
    isKnown = true;
    try {
      forward(operator);
    } catch (RuntimeException e) {
      isKnown = false;
      operator.outputs().stream()
          .filter(v -> v.dims().known())
          .forEach(v -> shapes.putIfAbsent(v, v.dims().shape()));
    }
    return isKnown ? OptionalLong.of(operations) : OptionalLong.empty();
  }

  private void count(Expr<?> root) {
    var open = new ArrayDeque<Expr<?>>();
    open.add(root);
    while (!open.isEmpty()) {
      Expr<?> e = open.poll();
      if (counted.add(e)) {
        OptionalLong own = e.operationCount();
        isKnown &= own.isPresent();
        operations += own.orElse(0);
        open.addAll(e.inputs());
      }
    }
  }

  @Override
  @SuppressWarnings("unchecked")
  public <T> Expr<T> get(Variable<T> v) {
    return (Expr<T>)
        values.computeIfAbsent(
            v,
            _ -> {
              Shape shape = shapes.get(v);
              if (shape == null) {
                throw new ShapeException(
                    "[summary] the shape of a variable must be known; got none for "
                        + v
                        + "; set the inputs.");
              }
              return ctx.empty(v.dtype(), shape);
            });
  }

  @Override
  public boolean training() {
    return false;
  }

  @Override
  public Expr<I64> seed() {
    return Ops.scalar(Ops.I64, 0L);
  }

  @Override
  public <T> void assign(Variable<T> output, Expr<T> value) {
    shapes.put(output, value.shape());
    count(value);
  }

  @Override
  public <T> void assignState(Variable<T> state, Expr<T> value) {
    count(value);
  }

  @Override
  public <T> Tensor<T> workspace(String name, DType<T> dtype, long... dims) {
    @SuppressWarnings("unchecked")
    var tensor = (Tensor<T>) workspace.computeIfAbsent(name, _ -> ctx.empty(dtype, dims));
    return tensor;
  }

  @Override
  public <T> Tensor<T> gradientWorkspace(String name, Variable<T> input) {
    return workspace(name, input.dtype(), get(input).shape().toArray());
  }

  @Override
  public <T> void write(Tensor<T> target, Expr<T> value) {
    count(value);
  }

  @Override
  public void writeAll(List<Pair<?>> pairs) {
    pairs.forEach(p -> count(p.expr()));
  }

  @Override
  public void repeat(long times, IntConsumer body) {
    if (times > 0) {
      long before = operations;
      body.accept(0);
      operations += (times - 1) * (operations - before);
    }
  }

  @Override
  public Tensor<I32> stepNumbers(long steps) {
    return ctx.empty(Ops.I32, steps, 1, 1);
  }

  @Override
  public void limit(Variable<I32> lengths, long steps) {}

  @Override
  public void check(List<Variable<I32>> inputs, Consumer<int[][]> check) {}

  @Override
  public <T> Expr<T> materialize(Expr<T> value) {
    return value;
  }

  @Override
  public <T> Expr<T> materializeUnlessCheap(Expr<T> value) {
    return value;
  }

  @Override
  public <T> Expr<T> materializeFor(Variable<?> output, Expr<T> value) {
    return value;
  }

  // A forward pass has no gradients.

  @Override
  public <T> Expr<T> gradient(Variable<T> output) {
    throw new ShapeException(
        "[gradient] a forward pass must not read gradients; got that of " + output + ".");
  }

  @Override
  public boolean wantsGradient(Variable<?> input) {
    return false;
  }

  @Override
  public <T> void addGradients(Expr<T> y, Expr<T> dy, List<? extends Variable<?>> inputs) {}

  @Override
  public <T> void addGradient(Variable<T> input, Expr<T> part) {}

  @Override
  public boolean isCrossed(Variable<?> output) {
    return false;
  }
}
